// SPDX-License-Identifier: Apache-2.0

extension ValidationError {
    /// Creates a reason for a property of an object, or for the object.
    public init(_ object: ManagedObject, property: String? = nil, _ message: String) {
        self.init(.custom, object.objectID, property, message)
    }
}
