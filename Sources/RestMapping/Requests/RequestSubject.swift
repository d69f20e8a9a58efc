// SPDX-License-Identifier: Apache-2.0

/// An object that a request can be created from: a typed or a managed object.
public protocol RequestSubject: RequestContent {
    /// Writes the value of a property.
    ///
    /// The code that `@Mapped` generates passes each property to a `write(_:)` of
    /// ``RequestWriter``.
    ///
    /// - Parameters:
    ///   - property: The index in the subject's ``PropertyTable``.
    ///   - writer: The writer of the value.
    /// - Throws: ``MappingFailure`` when the value has no representation, such as NaN.
    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure)

    /// Returns a Boolean value that indicates whether a table describes the object, so that its
    /// indices refer to the object's properties.
    func isSubject(of table: PropertyTable) -> Bool
}
