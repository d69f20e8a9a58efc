// SPDX-License-Identifier: Apache-2.0

/// Why a test of a mapping failed.
///
/// Unlike errors of the library it shows values: they are those of a fixture.
public struct MappingTestError: Error, Sendable, CustomStringConvertible {
    /// What was not as expected.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case nothingToMap
            case unsatisfied
            case valueInequality
            case evaluation
            case mappingMismatch
        }

        private let storage: Storage

        /// The document has no representation where it was looked for.
        public static let nothingToMap = Code(storage: .nothingToMap)
        /// The property was never fed from the place.
        public static let unsatisfied = Code(storage: .unsatisfied)
        /// The property was fed another value.
        public static let valueInequality = Code(storage: .valueInequality)
        /// The closure of the expectation refused the value.
        public static let evaluation = Code(storage: .evaluation)
        /// The objects were mapped by another mapping.
        public static let mappingMismatch = Code(storage: .mappingMismatch)

        /// The code's word.
        public var description: String { storage.rawValue }
    }

    /// What was not as expected.
    public let code: Code
    /// What was expected and what happened, in words.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// One line that starts with the code.
    public var description: String { "\(code): \(message)" }
}
