// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// An error that is thrown when a mapping is compiled or a plan is run.
public struct MappingError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
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

        /// The mapping is invalid; ``MappingError/diagnostics`` lists all errors.
        public static let invalidMapping = Code(storage: .invalidMapping)
        /// A text is not a ``SourcePath``.
        public static let invalidSource = Code(storage: .invalidSource)
        /// An object cannot be built, and the policy is to fail; see ``MappingError/issue``.
        public static let invalidObject = Code(storage: .invalidObject)
        /// A validation threw; see ``MappingError/underlying``.
        public static let validationFailed = Code(storage: .validationFailed)
        /// The plan was compiled for another type than the requested one or that of the object to fill.
        public static let wrongSubject = Code(storage: .wrongSubject)
        /// The document has none of the representations; ``MappingError/details`` lists the key paths.
        public static let notFound = Code(storage: .notFound)
        /// A dynamic mapping chose no mapping for an object to fill.
        public static let undeterminedMapping = Code(storage: .undeterminedMapping)
        /// The task was cancelled before all objects were mapped.
        public static let cancelled = Code(storage: .cancelled)

        /// A date format has an unknown symbol; ``MappingError/mapping`` is the format.
        public static let invalidDateFormat = Code(storage: .invalidDateFormat)
        /// A name belongs to no property; the diagnostic contains the name.
        public static let unknownProperty = Code(storage: .unknownProperty)

        /// The code as a word, free of dynamic data.
        public var description: String { storage.rawValue }
    }

    /// The kind of error.
    public let code: Code
    /// The name of the mapping, or the invalid date format.
    public let mapping: String
    /// The problem that ended the run.
    public let issue: MappingIssue?
    /// All diagnostics of an invalid mapping, or the unknown name.
    public let diagnostics: [PlanDiagnostic]
    /// The key paths searched and the keys present, in words; never values.
    public let details: [String]
    /// The error that a validation threw.
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

    /// The path at which the run ended; empty for an invalid mapping.
    public var path: DocumentPath { issue?.path ?? DocumentPath([]) }

    /// One line that starts with the code and holds no payload values.
    public var description: String {
        if let issue { return "\(code): \(issue)" }
        let name = mapping.isEmpty ? "" : " in \(mapping)"
        let parts = diagnostics.map(\.description) + details
        return "\(code)\(name)" + (parts.isEmpty ? "" : ": " + parts.joined(separator: "; "))
    }
}
