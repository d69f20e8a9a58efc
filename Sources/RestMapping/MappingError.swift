// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Why a mapping could not be compiled, or a run of a plan ended.
public struct MappingError: Error, Sendable, CustomStringConvertible {
    /// What kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case invalidMapping
            case invalidSource
            case invalidObject
            case validationFailed
            case wrongSubject
            case notFound
            case undeterminedMapping
            case cancelled
            case invalidDateFormat
            case unknownProperty
        }

        private let storage: Storage

        /// The mapping itself is wrong; ``MappingError/diagnostics`` lists every mistake.
        public static let invalidMapping = Code(storage: .invalidMapping)
        /// A text is not a ``SourcePath``.
        public static let invalidSource = Code(storage: .invalidSource)
        /// An object could not be built and the policy says so matters; see ``MappingError/issue``.
        public static let invalidObject = Code(storage: .invalidObject)
        /// A validation threw; see ``MappingError/underlying``.
        public static let validationFailed = Code(storage: .validationFailed)
        /// The plan was compiled for another type than the one asked for or given to be filled.
        public static let wrongSubject = Code(storage: .wrongSubject)
        /// Nothing to be mapped is in the document; ``MappingError/details`` say what was searched.
        public static let notFound = Code(storage: .notFound)
        /// A dynamic mapping chose nothing for an object given to be filled.
        public static let undeterminedMapping = Code(storage: .undeterminedMapping)
        /// The task was cancelled before all objects were mapped.
        public static let cancelled = Code(storage: .cancelled)

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
    /// What was searched and what was there, in words; keys and paths only, never values.
    public let details: [String]
    /// What a validation threw.
    public let underlying: (any Error)?

    init(
        _ code: Code, mapping: String, issue: MappingIssue? = nil,
        diagnostics: [PlanDiagnostic] = [], details: [String] = [],
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.mapping = mapping
        self.issue = issue
        self.diagnostics = diagnostics
        self.details = details
        self.underlying = underlying
    }

    /// Where in the document the run ended; empty for an invalid mapping.
    public var path: DocumentPath { issue?.path ?? DocumentPath([]) }

    /// One line that starts with the code and holds no payload values.
    public var description: String {
        if let issue { return "\(code): \(issue)" }
        let name = mapping.isEmpty ? "" : " \(mapping)"
        let parts = diagnostics.map(\.description) + details
        guard !parts.isEmpty else { return "\(code):\(name)" }
        return "\(code)\(name): " + parts.joined(separator: "; ")
    }
}
