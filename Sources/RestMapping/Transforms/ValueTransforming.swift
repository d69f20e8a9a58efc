// SPDX-License-Identifier: Apache-2.0

/// A conversion between Swift values that says which types it goes between.
///
/// Values are what a document's become on their own: `Bool`, `Int`, `UInt64`, `Double` or `Decimal`,
/// `String`, arrays of these, dictionaries with text as keys; nil is null. A transformer converts
/// in both directions where both make sense. Declare it for one attribute, or for all of a mapping
/// in ``ValueConversion/transformer``.
public protocol ValueTransforming: Sendable {
    /// What the transformer is called in failures; two of one type and name are the same one.
    var name: String { get }

    /// Whether values of one type can become another; null is of the type `Never?`.
    func canTransform(from input: Any.Type, to output: Any.Type) -> Bool

    /// Converts a value.
    ///
    /// - Parameters:
    ///   - value: The value; nil for null.
    ///   - output: The type wanted, never an optional one.
    /// - Returns: A value of that type, or nil for null.
    /// - Throws: ``TransformFailure`` when the value is not acceptable, else when the type is not
    ///   supported, else when the conversion does not succeed, in this order.
    func transform(_ value: Any?, to output: Any.Type) throws(TransformFailure) -> Any?
}

extension ValueTransforming {
    /// Converts a value to a type known here.
    ///
    /// - Returns: The value, or nil for null.
    /// - Throws: ``TransformFailure`` as ``transform(_:to:)`` does.
    public func transform<Output>(
        _ value: Any?, as type: Output.Type = Output.self
    ) throws(TransformFailure) -> Output? {
        let result = try transform(value, to: type as Any.Type)
        guard let result else { return nil }
        guard let result = result as? Output else { throw failure(.failed, value, type) }
        return result
    }

    /// A failure of this transformer, for transformers outside of the library too.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - value: The value, of which only the type is kept.
    ///   - output: The type wanted.
    /// - Returns: The failure, to be thrown.
    public func failure(
        _ code: TransformFailure.Code, _ value: Any?, _ output: Any.Type
    ) -> TransformFailure {
        TransformFailure(
            code, transformer: name, input: value.map { Swift.type(of: $0) } ?? Never?.self,
            output: output)
    }
}

/// Why a transformer did not convert a value.
public struct TransformFailure: Error, Sendable, CustomStringConvertible {
    /// What kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case inputNotAcceptable
            case outputNotSupported
            case failed
        }

        private let storage: Storage

        /// The transformer does not take such values.
        public static let inputNotAcceptable = Code(storage: .inputNotAcceptable)
        /// The transformer does not make such values of this one.
        public static let outputNotSupported = Code(storage: .outputNotSupported)
        /// The transformer tried and did not succeed.
        public static let failed = Code(storage: .failed)

        /// The code's word, free of dynamic data.
        public var description: String { storage.rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// What the transformer is called.
    public let transformer: String
    /// The type of the value, never the value itself.
    public let input: String
    /// The type wanted.
    public let output: String
    /// What the members of a compound transformer that were consulted said, in order.
    public let details: [TransformFailure]
    /// Whether nobody so much as tried: the types are none of the transformer's.
    let isRefusal: Bool

    /// Makes a failure from its parts.
    public init(
        _ code: Code, transformer: String, input: Any.Type, output: Any.Type,
        details: [TransformFailure] = []
    ) {
        self.init(
            code, transformer: transformer, input: input, output: output, details: details,
            isRefusal: code != .failed)
    }

    init(
        _ code: Code, transformer: String, input: Any.Type, output: Any.Type,
        details: [TransformFailure], isRefusal: Bool
    ) {
        self.code = code
        self.isRefusal = isRefusal
        self.transformer = transformer
        self.input = input == Never?.self ? "null" : "\(input)"
        self.output = "\(output)"
        self.details = details
    }

    /// One line: the code, the transformer, both types, and how many others were consulted.
    public var description: String {
        let line = "\(code): \(transformer), \(input) to \(output)"
        guard !details.isEmpty else { return line }
        let consulted = details.map { "\($0.transformer) \($0.code)" }.joined(separator: ", ")
        return "\(line); \(details.count) consulted: \(consulted)"
    }
}
