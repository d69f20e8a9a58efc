// SPDX-License-Identifier: Apache-2.0

/// Why the tool cannot do what it was asked to, and what to do about it.
struct ToolError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    struct Code: Sendable, Hashable {
        private enum Storage: String {
            case serverFailed
            case fileFailed
            case unexpectedResult
            case unusableToken
        }

        private let storage: Storage

        /// The demonstration's server cannot run.
        static let serverFailed = Code(storage: .serverFailed)
        /// A file or directory cannot be made, read or removed.
        static let fileFailed = Code(storage: .fileFailed)
        /// A step's result is not what it has to be.
        static let unexpectedResult = Code(storage: .unexpectedResult)
        /// There is no token, or it cannot be sent.
        static let unusableToken = Code(storage: .unusableToken)

        fileprivate var name: String { storage.rawValue }
    }

    let code: Code
    /// What is wrong, without text from a server.
    let message: String
    /// What to do about it.
    let advice: String?
    let underlying: (any Error)?

    init(
        _ code: Code, _ message: String, advice: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.underlying = underlying
    }

    var description: String {
        var text = "\(code.name): \(message)"
        if let underlying { text += " (\(underlying))" }
        if let advice { text += "; \(advice)" }
        return TerminalText.escaped(text)
    }
}
