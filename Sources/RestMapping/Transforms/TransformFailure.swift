// SPDX-License-Identifier: Apache-2.0

/// The error of an ``AnyValueTransform`` that does not convert a value.
public struct TransformFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case inputNotAcceptable
            case outputNotSupported
            case failed
        }

        private let storage: Storage

        /// The transform does not accept such values.
        public static let inputNotAcceptable = Code(storage: .inputNotAcceptable)
        /// The transform accepts the value, but does not create values of the requested type.
        public static let outputNotSupported = Code(storage: .outputNotSupported)
        /// The transform accepts the value and supports the type, but the conversion failed.
        public static let failed = Code(storage: .failed)

        /// The name of the code, free of dynamic data.
        public var description: String { storage.rawValue }
    }

    /// The kind of the failure.
    public let code: Code
    /// The name of the transform.
    public let transform: String
    /// The type of the value, never the value itself.
    public let input: String
    /// The requested type.
    public let output: String
    /// The failures of the members that a chain tried, in order.
    public let details: [TransformFailure]
    /// A Boolean value that indicates whether no conversion was attempted, because the types are
    /// not among the transform's.
    let isRefusal: Bool

    init(
        _ code: Code, transform: String, input: Any.Type, output: Any.Type,
        details: [TransformFailure] = [], isRefusal: Bool
    ) {
        self.code = code
        self.isRefusal = isRefusal
        self.transform = transform
        self.input = input == Never?.self ? "null" : "\(input)"
        self.output = "\(output)"
        self.details = details
    }

    /// A description of one line: the code, the transform, both types, and the members that were
    /// tried.
    public var description: String {
        let line = "\(code): \(transform), \(input) to \(output)"
        guard !details.isEmpty else { return line }
        let consulted = details.map { "\($0.transform) \($0.code)" }.joined(separator: ", ")
        return "\(line); \(details.count) consulted: \(consulted)"
    }
}
