// SPDX-License-Identifier: Apache-2.0

/// A conversion of a property's value to a value of the representation, declared for one attribute.
///
/// It replaces the conversion by the value's own type. A transform of the type inside an optional,
/// a list or a dictionary converts each value inside; nil stays nil.
///
///     let place = RequestTransform<Location>("place") { ["latitude": $0.y, "longitude": $0.x] }
public struct RequestTransform<Value>: Sendable {
    /// The name of the transform in issues.
    public let name: String
    let apply: @Sendable (Value, inout RequestWriter) throws(MappingFailure) -> Void

    init(
        name: String,
        applying apply:
            @escaping @Sendable (Value, inout RequestWriter) throws(MappingFailure) -> Void
    ) {
        self.name = name
        self.apply = apply
    }

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - name: The name of the transform in issues.
    ///   - convert: Converts a value to one that has a representation. An error that it throws
    ///     becomes an issue, which does not keep the error itself.
    public init<Output: MappableValue>(
        _ name: String, _ convert: @escaping @Sendable (Value) throws -> Output
    ) {
        self.init(name: name) { value, writer throws(MappingFailure) in
            let output: Output
            do {
                output = try convert(value)
            } catch {
                throw writer.failed(
                    .transformFailed, "a value that \(name) accepts",
                    found: "a value that it rejects")
            }
            try output.write(to: &writer)
        }
    }
}

extension RequestTransform: ErasedRequestTransform {
    func write<Written: MappableValue>(
        _ value: Written, to writer: inout RequestWriter
    ) throws(MappingFailure) -> Bool {
        guard let transform = self as? RequestTransform<Written> else { return false }
        try transform.apply(value, &writer)
        return true
    }
}
