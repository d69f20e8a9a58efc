// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The state of reading a file: the diagnostics and the positions found.
struct ReadingContext {
    private(set) var diagnostics: [DefinitionDiagnostic] = []
    /// The positions of the settings by their paths.
    private(set) var locations: [DocumentPath: SourceLocation] = [:]
    private var path = DocumentPath.root

    /// Records a diagnostic in a value.
    mutating func report(
        _ code: DefinitionDiagnostic.Code, at location: SourceLocation?, _ problem: String,
        advice: String
    ) {
        diagnostics.append(
            DefinitionDiagnostic(
                code, at: location, path: path, problem: problem, advice: advice))
    }

    /// Records that a value is of another kind than expected.
    mutating func reportKind(of value: SourceValue, expected: String) {
        report(
            .wrongKind, at: value.location, "found \(value.kind)",
            advice: "write \(expected)")
    }

    /// Calls a closure with the path of a member.
    mutating func descend<Result>(
        into member: SourceValue.Member, _ body: (inout ReadingContext) -> Result
    ) -> Result {
        path.components.append(.key(member.key))
        defer { path.components.removeLast() }
        locations[path] = member.location ?? member.value.location
        return body(&self)
    }

    /// Calls a closure with the path of an element.
    mutating func descend<Result>(
        into element: SourceValue, at index: Int, _ body: (inout ReadingContext) -> Result
    ) -> Result {
        path.components.append(.index(index))
        defer { path.components.removeLast() }
        locations[path] = element.location
        return body(&self)
    }
}
