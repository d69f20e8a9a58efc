// SPDX-License-Identifier: Apache-2.0

public import RestMapping
public import RestPersistence

extension MappingExpectation {
    /// Creates an expectation that a relationship is assigned an object, compared by object ID.
    ///
    /// The object may be one of another context.
    public init(_ source: SourcePath, to destination: String, object: ManagedObject) {
        self.init(source, to: destination, objects: [object])
    }

    /// Creates an expectation that a relationship is assigned certain objects in any order, compared by
    /// object ID.
    public init(_ source: SourcePath, to destination: String, objects: [ManagedObject]) {
        let expected = Set(objects.map(\.objectID))
        let text = objects.map(\.objectID.description).joined(separator: ", ")
        self.init(
            source, destination,
            .value(expected: objects.isEmpty ? "no objects" : text) { value in
                Set(Self.managedObjects(in: value).map(\.objectID)) == expected
            })
    }

    /// Returns the managed objects of the value of a relationship.
    private static func managedObjects(in value: Any) -> [ManagedObject] {
        if let object = value as? ManagedObject { return [object] }
        return (value as? any Collection)?.compactMap { $0 as? ManagedObject } ?? []
    }
}
