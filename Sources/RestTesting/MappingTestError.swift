// SPDX-License-Identifier: Apache-2.0

/// The failure of a test of a mapping.
///
/// Unlike other errors of the library it contains values, as they come from a fixture.
public struct MappingTestError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case nothingToMap
            case unsatisfied
            case valueInequality
            case evaluation
            case mappingMismatch
        }

        private let storage: Storage

        /// The code of a document without a representation at the key path.
        public static let nothingToMap = Code(storage: .nothingToMap)
        /// The code of a property that was not assigned from the source path.
        public static let unsatisfied = Code(storage: .unsatisfied)
        /// The code of a property that was assigned another value.
        public static let valueInequality = Code(storage: .valueInequality)
        /// The code of a value that the closure of the expectation rejected.
        public static let evaluation = Code(storage: .evaluation)
        /// The code of objects that were mapped with another mapping.
        public static let mappingMismatch = Code(storage: .mappingMismatch)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// The kind of the failure.
    public let code: Code
    /// The expected and the actual assignment.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// One line that starts with the code.
    public var description: String { "\(code): \(message)" }
}
