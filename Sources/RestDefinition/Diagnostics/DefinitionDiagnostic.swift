// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A diagnostic in a definition: its position, the problem and the correction.
///
/// Neither text contains a secret.
public struct DefinitionDiagnostic: Sendable, Equatable, CustomStringConvertible {
    /// The kind of a diagnostic.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The text is not valid YAML or JSON.
        case invalidSyntax
        /// The version of the format is not supported.
        case unsupportedVersion
        /// A key is not one of its mapping.
        case unknownKey
        /// A required key is missing.
        case missingKey
        /// A mapping contains a key twice, or two values have the same name.
        case duplicateName
        /// A value is of another kind than its key requires.
        case wrongKind
        /// A value is of the right kind but not valid.
        case invalidValue
        /// A name does not refer to anything.
        case undefinedName
        /// Settings exclude each other.
        case conflict
        /// A setting has no effect.
        case noEffect
        /// A secret is written in the definition.
        case exposedSecret
    }

    /// The kind of the expected.
    public var code: Code
    /// The position; `nil` for a definition that was not read from a file.
    public var location: SourceLocation?
    /// The path of the setting, such as `resources.issues.cursor`.
    public var path: DocumentPath
    /// The problem.
    public var problem: String
    /// The correction: what to write.
    public var advice: String

    /// Creates a diagnostic.
    public init(
        _ code: Code, at location: SourceLocation? = nil, path: DocumentPath = .root,
        problem: String, advice: String
    ) {
        self.code = code
        self.location = location
        self.path = path
        self.problem = problem
        self.advice = advice
    }

    /// The position, the path, the problem and the correction on one line.
    public var description: String {
        var text = location.map { "\($0): " } ?? ""
        if !path.components.isEmpty { text += "\(path.abbreviated): " }
        return text + "\(problem); \(advice)"
    }
}

/// The diagnostics in a definition, in the order of the file.
public struct DefinitionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The diagnostics.
    public var diagnostics: [DefinitionDiagnostic]

    /// Creates an error from diagnostics, in the order of their positions.
    public init(_ diagnostics: [DefinitionDiagnostic]) {
        let origin = SourceLocation(line: 0, column: 0)
        // A stable order: diagnostics at one position stay in the order in which they were found.
        self.diagnostics = diagnostics.enumerated().sorted { left, right in
            let positions = (left.element.location ?? origin, right.element.location ?? origin)
            return positions.0 == positions.1
                ? left.offset < right.offset : positions.0 < positions.1
        }.map(\.element)
    }

    /// The diagnostics, one on each line.
    public var description: String {
        diagnostics.map(\.description).joined(separator: "\n")
    }
}
