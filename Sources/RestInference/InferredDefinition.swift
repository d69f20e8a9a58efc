// SPDX-License-Identifier: Apache-2.0

public import RestDefinition
public import RestDocument

/// A definition that was inferred, with the reasons for its parts.
public struct InferredDefinition: Sendable {
    /// The definition.
    public var definition: Definition
    /// The reasons by the paths of the settings, such as `entities.Film.identity`.
    public var evidence: [DocumentPath: Evidence]
    /// The inferred entities, relations, records, pages and columns, in five lines.
    public var summary: [String]

    /// Creates an inferred definition.
    public init(
        definition: Definition, evidence: [DocumentPath: Evidence] = [:], summary: [String] = []
    ) {
        self.definition = definition
        self.evidence = evidence
        self.summary = summary
    }

    /// Returns the definition as a YAML file, in which comments are the reasons.
    public func yaml() -> String {
        var comments = evidence.mapValues(\.description)
        comments[.root] = (["Inferred: check the guesses."] + summary)
            .joined(separator: "\n")
        return definition.yaml(comments: comments)
    }
}
