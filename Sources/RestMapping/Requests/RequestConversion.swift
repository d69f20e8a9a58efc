// SPDX-License-Identifier: Apache-2.0

/// A conversion of the value, in place of the one that the mapping declares for all.
enum RequestConversion: Sendable {
    case transform(any ErasedRequestTransform)
    case dates(DateFormat)
    case numericDecimals
    /// The conversion of the type and the mapping, whatever transform the property declares.
    case ofType
}

/// A transform whose values are of a type that is known when one is written.
protocol ErasedRequestTransform: Sendable {
    /// The name of the transform in issues.
    var name: String { get }

    /// Writes a value.
    ///
    /// - Returns: Whether the transform is for values of the type; if not, nothing is written.
    func write<Value: MappableValue>(
        _ value: Value, to writer: inout RequestWriter
    ) throws(MappingFailure) -> Bool
}
