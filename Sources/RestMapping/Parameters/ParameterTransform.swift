// SPDX-License-Identifier: Apache-2.0

/// A declared conversion of a property's value into what the representation has for it.
///
/// It replaces what the value's own type would write. Declared for the type inside an optional, a
/// list or a dictionary it converts each value in there; nil stays nil.
///
///     let place = ParameterTransform<Location>("place") { ["latitude": $0.y, "longitude": $0.x] }
public struct ParameterTransform<Value>: Sendable {
    /// What the conversion is called in issues.
    public let name: String
    let apply: @Sendable (Value, inout RepresentationWriter) throws(MappingFailure) -> Void

    init(
        name: String,
        applying apply:
            @escaping @Sendable (Value, inout RepresentationWriter) throws(MappingFailure) -> Void
    ) {
        self.name = name
        self.apply = apply
    }

    /// Makes a transform.
    ///
    /// - Parameters:
    ///   - name: What the conversion is called in issues.
    ///   - convert: Converts a value to one that has a representation; what it throws becomes an
    ///     issue, the error itself is not kept.
    public init<Output: MappableValue>(
        _ name: String, _ convert: @escaping @Sendable (Value) throws -> Output
    ) {
        self.init(name: name) { value, writer throws(MappingFailure) in
            let output: Output
            do {
                output = try convert(value)
            } catch {
                throw writer.failed(
                    .transformFailed, "what \(name) accepts", found: "a value it refused")
            }
            try output.write(to: &writer)
        }
    }
}

extension ParameterTransform: ErasedParameterTransform {}
