// SPDX-License-Identifier: Apache-2.0

/// A failure of the tool, with advice on how to fix it.
package struct ToolError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    package struct Code: Sendable, Hashable {
        private enum Storage: String {
            case serverFailed
            case fileFailed
            case unexpectedResult
            case unusableToken
        }

        private let storage: Storage

        /// A server of the program cannot run.
        package static let serverFailed = Code(storage: .serverFailed)
        /// A file or directory cannot be created, read or removed.
        package static let fileFailed = Code(storage: .fileFailed)
        /// A step's result differs from the expected one.
        package static let unexpectedResult = Code(storage: .unexpectedResult)
        /// The token is missing or cannot be sent.
        package static let unusableToken = Code(storage: .unusableToken)

        fileprivate var name: String { storage.rawValue }
    }

    package let code: Code
    /// The problem, without text from a server.
    package let message: String
    /// Advice on how to fix the problem.
    package let advice: String?
    package let underlying: (any Error)?

    package init(
        _ code: Code, _ message: String, advice: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.underlying = underlying
    }

    package var description: String {
        var text = "\(code.name): \(message)"
        if let underlying { text += " (\(underlying))" }
        if let advice { text += "; \(advice)" }
        return TerminalText.escaped(text)
    }
}
