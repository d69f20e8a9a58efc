// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits `Draft`, which collects values by property index for an instance.
///
/// A draft of a structure starts as a copy of the edited value. A draft of a class stores the edited
/// instance and changes it only in `finish()`, so a failure leaves it unchanged.
struct DraftEmitter {
    private let declaration: MappedDeclaration
    private let access: String
    private let type: String
    /// The name of the draft's property for the edited instance.
    private let edited: String

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
        access = declaration.access.prefix
        type = declaration.name
        edited = declaration.editedName
    }

    var syntax: DeclSyntax {
        let parts = [
            storage,
            "\(access)init() {\n}",
            """
            \(access)init(editing subject: \(type)) {
            \(copying.indented)}
            """,
            "\(access)mutating \(AssignmentEmitter(declaration).text)",
            """
            \(access)consuming func finish() throws(RestMapping.MappingFailure) -> \(type) {
            \(finishing.indented)
            }
            """,
        ]
        return """
            nonisolated \(raw: access)struct Draft: RestMapping.MappingDraft {
            \(raw: parts.filter { !$0.isEmpty }.map(\.indented).joined(separator: "\n\n"))
            }
            """
    }

    private var storage: String {
        var lines = declaration.storage
        if declaration.keepsEdited { lines.append("fileprivate var \(edited): \(type)?") }
        return lines.joined(separator: "\n")
    }

    private var copying: String {
        var lines: [String] = []
        if !declaration.isClass {
            lines = declaration.properties.map(\.storage).map {
                "self.\(declaration.draftName(of: $0)) = subject.\($0.identifier)\n"
            }
        }
        if declaration.keepsEdited { lines.append("self.\(edited) = subject\n") }
        return lines.joined()
    }

    private var finishing: String {
        if declaration.isRefused { return "Swift.fatalError()" }
        let subject = declaration.freshName("subject")
        let assignments = declaration.assignments(to: subject)
        switch declaration.construction {
        case .emptyInitializer:
            return """
                let \(subject) = self.\(edited) ?? \(type)()
                \(assignments)
                return \(subject)
                """
        case .designatedInitializer:
            return """
                guard let \(subject) = self.\(edited) else {
                    return try \(type)(finishing: self)
                }
                \(assignments)
                return \(subject)
                """
        case .structure, .superclass, .subclass:
            return "try \(type)(finishing: consume self)"
        }
    }
}
#endif
