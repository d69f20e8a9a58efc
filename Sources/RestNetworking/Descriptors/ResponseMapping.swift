// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A mapping that a response descriptor can carry.
///
/// ``ObjectMapping`` is one. A room that maps into something of its own, such as rows of a store,
/// lets its mapping conform and finds it again in ``ResponseDescriptor/mapping``.
public protocol ResponseMapping: Sendable {
    /// How a representation in the response is read.
    var objectMapping: ObjectMapping { get }
}

extension ObjectMapping: ResponseMapping {
    /// The mapping itself.
    public var objectMapping: ObjectMapping { self }
}
