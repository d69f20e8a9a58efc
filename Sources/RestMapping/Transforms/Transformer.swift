// SPDX-License-Identifier: Apache-2.0

/// A transformer made of closures, one for each direction it converts in.
///
/// All built-in ones are static members. A formatter becomes a transformer of its two functions:
///
///     let prices = Transformer("price", between: String.self, and: Decimal.self) { text in
///         read(text)
///     } back: { price in
///         write(price)
///     }
public struct Transformer: ValueTransforming {
    /// What came of a conversion.
    enum Outcome {
        case value(Any)
        case null
        case failed

        init(_ value: Any?) {
            self = value.map { .value($0) } ?? .failed
        }
    }

    /// One way to convert.
    struct Direction: Sendable {
        let input: TypeSet
        let output: TypeSet
        /// Which of the pairs of types are meant, where not all.
        var isPair: @Sendable (Any.Type, Any.Type) -> Bool = { _, _ in true }
        /// Which of the values are acceptable, where not all but null.
        var accepts: @Sendable (Any?) -> Bool = { $0 != nil }
        let convert: @Sendable (Any?, Any.Type) -> Outcome
    }

    /// What the transformer is called in failures.
    public let name: String
    private let directions: [Direction]

    init(_ name: String, _ directions: [Direction]) {
        self.name = name
        self.directions = directions
    }

    /// Makes a transformer of any value of some types to any of others.
    ///
    /// - Parameters:
    ///   - name: What the transformer is called in failures.
    ///   - input: The types it takes.
    ///   - output: The types it makes.
    ///   - convert: Converts a value to a type; nil when it does not succeed.
    public init(
        _ name: String, from input: TypeSet, to output: TypeSet,
        _ convert: @escaping @Sendable (Any, Any.Type) -> Any?
    ) {
        self.init(
            name,
            [
                Direction(input: input, output: output) { value, type in
                    Outcome(value.flatMap { convert($0, type) })
                }
            ])
    }

    /// Makes a transformer of one type to another.
    ///
    /// - Parameters:
    ///   - name: What the transformer is called in failures.
    ///   - input: The type it takes.
    ///   - output: The type it makes.
    ///   - convert: Converts a value; nil when it does not succeed.
    public init<Input: SendableMetatype, Output: SendableMetatype>(
        _ name: String, from input: Input.Type, to output: Output.Type,
        _ convert: @escaping @Sendable (Input) -> Output?
    ) {
        self.init(name, [.typed(convert)])
    }

    /// Makes a transformer between two types.
    ///
    /// - Parameters:
    ///   - name: What the transformer is called in failures.
    ///   - first: The type it goes between.
    ///   - second: The other type.
    ///   - convert: Converts the first type; nil when it does not succeed.
    ///   - back: Converts the second type; nil when it does not succeed.
    public init<First: SendableMetatype, Second: SendableMetatype>(
        _ name: String, between first: First.Type, and second: Second.Type,
        _ convert: @escaping @Sendable (First) -> Second?,
        back: @escaping @Sendable (Second) -> First?
    ) {
        self.init(name, [.typed(convert), .typed(back)])
    }

    /// Whether values of one type can become another.
    public func canTransform(from input: Any.Type, to output: Any.Type) -> Bool {
        directions.contains {
            $0.input.contains(input) && $0.output.contains(output) && $0.isPair(input, output)
        }
    }

    /// Converts a value, see ``ValueTransforming/transform(_:to:)``.
    public func transform(_ value: Any?, to output: Any.Type) throws(TransformFailure) -> Any? {
        let input: Any.Type = value.map { type(of: $0) } ?? Never?.self
        let accepting = directions.filter { $0.input.contains(input) && $0.accepts(value) }
        guard !accepting.isEmpty else { throw failure(.inputNotAcceptable, value, output) }
        guard let direction = accepting.first(where: { $0.output.contains(output) }) else {
            throw failure(.outputNotSupported, value, output)
        }
        switch direction.convert(value, output) {
        case .value(let result): return result
        case .null: return nil
        case .failed: throw failure(.failed, value, output)
        }
    }
}

extension Transformer.Direction {
    /// The direction between two types known here.
    static func typed<Input: SendableMetatype, Output: SendableMetatype>(
        _ convert: @escaping @Sendable (Input) -> Output?
    ) -> Transformer.Direction {
        Transformer.Direction(input: .type(Input.self), output: .type(Output.self)) { value, _ in
            Transformer.Outcome((value as? Input).flatMap(convert))
        }
    }
}
