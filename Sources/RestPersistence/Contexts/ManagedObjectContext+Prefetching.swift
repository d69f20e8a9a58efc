// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Reads the destinations of a relationship of many objects.
    ///
    /// - Throws: An error of ``prefetch(_:of:)-(String,_)``.
    public func prefetch<Object: ManagedEntity>(
        _ path: any PartialKeyPath<Object> & Sendable, of objects: [Object]
    ) throws(PersistenceError) {
        try prefetch(Object.propertyName(path), of: objects)
    }

    /// Reads the destinations along a dotted path of relationships of many objects.
    ///
    /// Without it, the first access to a relationship reads it for all objects of the same fetch, in
    /// groups of 256. A prefetch moves these queries to a place where waiting does not matter. The
    /// destinations are kept until the store changes or the objects are refreshed.
    ///
    /// - Parameters:
    ///   - path: The names of relationships, such as `"terminals.airlines"`.
    ///   - objects: The objects, of entities that have the first relationship.
    /// - Throws: ``PersistenceError`` with code `unknownProperty`, or an error of the database.
    public func prefetch(
        _ path: String, of objects: [ManagedObject]
    ) throws(PersistenceError) {
        var objects = objects
        for name in FetchPath(path).names {
            var destinations: Set<ManagedObject> = []
            for object in objects { destinations.formUnion(try object.related(name)) }
            try errors.throwFailure()
            objects = Array(destinations)
        }
    }
}
