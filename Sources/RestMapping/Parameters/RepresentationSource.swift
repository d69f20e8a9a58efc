// SPDX-License-Identifier: Apache-2.0

/// An object that representations are made of: typed objects and managed ones.
public protocol RepresentationSource: SendableMetatype {
    /// Writes the value of a property.
    ///
    /// What `@Mapped` generates hands each property to ``RepresentationWriter/write(_:)``.
    ///
    /// - Parameters:
    ///   - property: Index in the subject's ``PropertyTable``.
    ///   - writer: Takes the value.
    /// - Throws: ``MappingFailure`` when the value has no representation, such as NaN.
    func write(_ property: Int, to writer: inout RepresentationWriter) throws(MappingFailure)

    /// Whether a table describes the object, so that its indices name the object's properties.
    func isSubject(of table: PropertyTable) -> Bool
}

extension Mapped {
    /// Whether the table is of the object's type, or of one that it inherits from.
    public func isSubject(of table: PropertyTable) -> Bool {
        func isInstance<Subject: Mapped>(of type: Subject.Type) -> Bool { self is Subject }
        return table.subject.map { isInstance(of: $0) } ?? false
    }
}
