// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Why a mapping could not be compiled, or a run of a plan ended.
public struct MappingError: Error, Sendable, CustomStringConvertible {
    /// What kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case invalidMapping
            case invalidObject
            case wrongSubject
            case invalidDateFormat
            case unknownProperty
        }

        private let storage: Storage

        /// The mapping itself is wrong; ``MappingError/diagnostics`` lists every mistake.
        public static let invalidMapping = Code(storage: .invalidMapping)
        /// An object could not be built and the policy says so matters; see ``MappingError/issue``.
        public static let invalidObject = Code(storage: .invalidObject)
        /// The plan was compiled for another type than the one asked for.
        public static let wrongSubject = Code(storage: .wrongSubject)
        /// A date format has a symbol that is not known; ``MappingError/mapping`` is the format.
        public static let invalidDateFormat = Code(storage: .invalidDateFormat)
        /// A value was asked for by a name that no property has; the diagnostic says which.
        public static let unknownProperty = Code(storage: .unknownProperty)

        /// The code's word, free of dynamic data.
        public var description: String { storage.rawValue }
    }

    /// What kind of error.
    public let code: Code
    /// Name of the mapping, or the date format that is wrong.
    public let mapping: String
    /// The problem that ended the run.
    public let issue: MappingIssue?
    /// The mistakes of an invalid mapping, all of them; or the name that is unknown.
    public let diagnostics: [PlanDiagnostic]

    init(
        _ code: Code, mapping: String, issue: MappingIssue? = nil,
        diagnostics: [PlanDiagnostic] = []
    ) {
        self.code = code
        self.mapping = mapping
        self.issue = issue
        self.diagnostics = diagnostics
    }

    /// Where in the document the run ended; empty for an invalid mapping.
    public var path: DocumentPath { issue?.path ?? DocumentPath([]) }

    /// One line that starts with the code and holds no payload values.
    public var description: String {
        if let issue { return "\(code): \(issue)" }
        if diagnostics.isEmpty { return "\(code): \(mapping)" }
        return "\(code) \(mapping): " + diagnostics.map(\.description).joined(separator: "; ")
    }
}
