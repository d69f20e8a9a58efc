// SPDX-License-Identifier: Apache-2.0

package import RestMapping

/// The managed objects that were imported from a response, for the plain objects that hold them.
package struct ResponseEntities {
    private let objects: [any ImportedObjects]

    /// Creates the entities of a response from the objects of each match.
    package init(_ objects: [any ImportedObjects]) {
        self.objects = objects
    }

    func objects(of match: ResponseMatch) -> (any ImportedObjects)? {
        objects.indices.contains(match.index) ? objects[match.index] : nil
    }
}

extension ObjectResponse {
    /// A Boolean value that indicates whether a match may map entities.
    var containsEntities: Bool { matches.contains { !$0.plan.entityNames.isEmpty } }
}

extension ResponseDescriptor {
    /// A Boolean value that indicates whether the mapping leads to entities: itself, through
    /// relationships of any depth, or by a closure that may choose any mapping.
    var mayMapEntities: Bool {
        plan.map { !$0.entityNames.isEmpty || $0.mayMapUndeclaredTypes } ?? false
    }
}

// MARK: - Values

extension ObjectResponse {
    /// Returns the value of the response with imported objects in place of its entities.
    package func value<Value: MappableValue>(
        of type: Value.Type, holding entities: ResponseEntities, _ report: inout MappingReport
    ) throws -> Value {
        try ResponseReading<Value>.value().objects(response: self, entities, &report)
    }

    /// Returns the objects of a list, or a single object, with imported objects in place of entities.
    package func objects<Object: MappableValue>(
        of type: Object.Type, holding entities: ResponseEntities, _ report: inout MappingReport
    ) throws -> [Object] {
        try ResponseReading<[Object]>.objects(of: type).objects(response: self, entities, &report)
    }

    /// Returns the objects of all matches with imported objects in place of entities.
    package func result(
        holding entities: ResponseEntities, _ report: inout MappingReport
    ) throws -> MappingResult {
        try ResponseReading.result.objects(response: self, entities, &report)
    }
}
