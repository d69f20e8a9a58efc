// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A plain type can have properties of managed objects, and collections of them.
///
/// ```swift
/// @Mapped struct Team {
///     let name: String
///     var members: [Human] = []
/// }
/// ```
///
/// The objects of the properties belong to the context that the request names. Mapping a document
/// without a context is an error, because managed objects exist in contexts only.
extension ManagedObject: MappableValue {
    /// Returns the object that was imported from a value.
    ///
    /// - Throws: `MappingFailure` if the run has no context, the import dropped the object, or it is of
    ///   another class.
    public static func map(from source: ValueSource) throws(MappingFailure) -> Self {
        guard let object = try source.importedObject() as? Self else {
            throw source.failure(.typeMismatch, "an object of \(Self.self)")
        }
        return object
    }

    /// Writes the object by the mapping that the plan has for it.
    public final func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.object(self)
    }

    /// The relation to a single object of the class.
    public static var relation: Relation? {
        Relation(isToMany: false) {
            (self as? any ManagedEntity.Type)?.properties
                ?? PropertyTable(entity: String(describing: self), [])
        }
    }
}
