// SPDX-License-Identifier: Apache-2.0

/// A conversion between Swift values whose types are known only at run time.
///
/// Inputs are the values that a document's values become on their own: `Bool`, `Int`, `UInt64`,
/// `Double` or `Decimal`, `String`, arrays of these and dictionaries with text as keys; nil stands
/// for null. A transform converts in both directions where both make sense. Declare one for an
/// attribute, or for all attributes of a mapping in ``ConversionOptions/transform``.
///
/// The built-in transforms are static members. A formatter becomes a transform of its two functions:
///
///     let prices = AnyValueTransform("price", between: String.self, and: Decimal.self) { text in
///         read(text)
///     } back: { price in
///         write(price)
///     }
///
/// A ``ValueTransform`` converts to one type that is known at compile time, and is faster.
public struct AnyValueTransform: Sendable {
    /// The result of a conversion.
    enum Outcome {
        case value(Any)
        case null
        case failed

        init(_ value: Any?) {
            self = value.map { .value($0) } ?? .failed
        }
    }

    /// A conversion from some types to others.
    struct Direction: Sendable {
        let input: TypeSet
        let output: TypeSet
        /// Returns whether two types belong together, where not every pair of them does.
        var isPair: @Sendable (Any.Type, Any.Type) -> Bool = { _, _ in true }
        /// Returns whether a value is acceptable; null is not by default.
        var accepts: @Sendable (Any?) -> Bool = { $0 != nil }
        let convert: @Sendable (Any?, Any.Type) -> Outcome
    }

    enum Content: Sendable {
        case directions([Direction], name: String)
        case chain([AnyValueTransform])
    }

    let content: Content
    /// The date format that the transform reads and writes; nil for other transforms.
    let dateFormat: DateFormat?

    init(_ name: String, _ directions: [Direction], dateFormat: DateFormat? = nil) {
        content = .directions(directions, name: name)
        self.dateFormat = dateFormat
    }

    /// Creates a transform from any value of some types to any of others.
    ///
    /// - Parameters:
    ///   - name: The name of the transform in failures.
    ///   - input: The types that the transform accepts.
    ///   - output: The types that the transform creates.
    ///   - convert: Converts a value to a type; returns nil when the conversion fails.
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

    /// Creates a transform from one type to another.
    ///
    /// - Parameters:
    ///   - name: The name of the transform in failures.
    ///   - input: The type that the transform accepts.
    ///   - output: The type that the transform creates.
    ///   - convert: Converts a value; returns nil when the conversion fails.
    public init<Input: SendableMetatype, Output: SendableMetatype>(
        _ name: String, from input: Input.Type, to output: Output.Type,
        _ convert: @escaping @Sendable (Input) -> Output?
    ) {
        self.init(name, [.typed(convert)])
    }

    /// Creates a transform between two types, in both directions.
    ///
    /// - Parameters:
    ///   - name: The name of the transform in failures.
    ///   - first: One type.
    ///   - second: The other type.
    ///   - convert: Converts from the first type; returns nil when the conversion fails.
    ///   - back: Converts from the second type; returns nil when the conversion fails.
    public init<First: SendableMetatype, Second: SendableMetatype>(
        _ name: String, between first: First.Type, and second: Second.Type,
        _ convert: @escaping @Sendable (First) -> Second?,
        back: @escaping @Sendable (Second) -> First?
    ) {
        self.init(name, [.typed(convert), .typed(back)])
    }

    /// The name of the transform in failures.
    public var name: String {
        switch content {
        case .directions(_, let name): name
        case .chain(let members): "chain of \(members.count)"
        }
    }
}

// MARK: - Converting

extension AnyValueTransform {
    /// Returns a Boolean value that indicates whether values of one type can become another.
    ///
    /// The type of null is `Never?`.
    public func canTransform(from input: Any.Type, to output: Any.Type) -> Bool {
        switch content {
        case .directions(let directions, _):
            directions.contains {
                $0.input.contains(input) && $0.output.contains(output) && $0.isPair(input, output)
            }
        case .chain(let members):
            members.contains { $0.canTransform(from: input, to: output) }
        }
    }

    /// Converts a value.
    ///
    /// - Parameters:
    ///   - value: The value; nil for null.
    ///   - output: The type of the result, never an optional type.
    /// - Returns: A value of that type, or nil for null.
    /// - Throws: ``TransformFailure`` when the value is not acceptable, else when the type is not
    ///   supported, else when the conversion fails, in this order. A chain fails with the code
    ///   ``TransformFailure/Code/failed`` and the failures of all members that it tried.
    public func transform(_ value: Any?, to output: Any.Type) throws(TransformFailure) -> Any? {
        switch content {
        case .directions(let directions, _): try transform(value, to: output, along: directions)
        case .chain: try transformByFirstMember(value, to: output)
        }
    }

    private func transform(
        _ value: Any?, to output: Any.Type, along directions: [Direction]
    ) throws(TransformFailure) -> Any? {
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

    /// Converts a value to a type that is known at compile time.
    ///
    /// - Returns: The value, or nil for null.
    /// - Throws: ``TransformFailure`` under the conditions of ``transform(_:to:)``.
    public func transform<Output>(
        _ value: Any?, as type: Output.Type = Output.self
    ) throws(TransformFailure) -> Output? {
        let result = try transform(value, to: type as Any.Type)
        guard let result else { return nil }
        guard let result = result as? Output else { throw failure(.failed, value, type) }
        return result
    }

    func failure(
        _ code: TransformFailure.Code, _ value: Any?, _ output: Any.Type
    ) -> TransformFailure {
        TransformFailure(
            code, transform: name, input: value.map { Swift.type(of: $0) } ?? Never?.self,
            output: output, isRefusal: code != .failed)
    }
}

extension AnyValueTransform.Direction {
    /// Creates a direction between two types that are known at compile time.
    static func typed<Input: SendableMetatype, Output: SendableMetatype>(
        _ convert: @escaping @Sendable (Input) -> Output?
    ) -> AnyValueTransform.Direction {
        AnyValueTransform.Direction(
            input: .type(Input.self), output: .type(Output.self)
        ) { value, _ in
            AnyValueTransform.Outcome((value as? Input).flatMap(convert))
        }
    }
}
