// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes `Draft`, which collects values by property index until an instance can be made.
///
/// A draft of a structure begins as a copy of the one it edits. A draft of a class keeps the
/// instance it edits and touches it only when it is finished, so a failure leaves it as it was.
struct DraftEmitter {
    private let declaration: MappedDeclaration
    private let access: String
    private let type: String
    /// Where the draft keeps the instance it was made from, if it has to.
    private let edited: String

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
        access = declaration.access.prefix
        type = declaration.name
        edited = declaration.editedName
    }

    var syntax: DeclSyntax {
        """
        \(raw: access)struct Draft: RestMapping.MappingDraft {
        \(raw: storage)

            \(raw: access)init() {
            }

            \(raw: access)init(editing subject: \(raw: type)) {
        \(raw: copying)
            }

            \(raw: access)mutating func assign(_ property: Swift.Int, from source: RestMapping.MappingSource) throws(RestMapping.MappingFailure) {
                switch property {
        \(raw: cases)
                default:
                    break
                }
            }

            \(raw: access)consuming func finish() throws(RestMapping.MappingFailure) -> \(raw: type) {
        \(raw: finishing)
            }
        }
        """
    }

    private var storage: String {
        var lines = declaration.properties.map {
            "    fileprivate var \($0.storage.identifier): \(declaration.draftType(of: $0))"
        }
        if declaration.keepsEdited { lines.append("    fileprivate var \(edited): \(type)?") }
        return lines.joined(separator: "\n")
    }

    private var copying: String {
        var lines: [String] = []
        if !declaration.isClass {
            lines = declaration.properties.map(\.storage.identifier).map {
                "        self.\($0) = subject.\($0)"
            }
        }
        if declaration.keepsEdited { lines.append("        self.\(edited) = subject") }
        return lines.joined(separator: "\n")
    }

    private var cases: String {
        declaration.properties.enumerated().map { index, property in
            """
                    case \(index):
                        self.\(property.storage.identifier) = \
            try source.read(\(property.type.operandText).self)
            """
        }.joined(separator: "\n")
    }

    private var finishing: String {
        switch declaration.construction {
        case .structure:
            return "        try \(type)(finishing: consume self)"
        case .emptyInitializer:
            let subject = declaration.freshName("subject")
            return """
                        let \(subject) = self.\(edited) ?? \(type)()
                \(assignments(to: subject, indentation: "        "))
                        return \(subject)
                """
        case .designatedInitializer:
            let subject = declaration.freshName("subject")
            return """
                        guard let \(subject) = self.\(edited) else {
                            return try \(type)(finishing: self)
                        }
                \(assignments(to: subject, indentation: "        "))
                        return \(subject)
                """
        }
    }

    /// Writes what was assigned into an instance; constants keep what they have.
    private func assignments(to subject: String, indentation: String) -> String {
        declaration.properties.filter { !$0.storage.isConstant }.map(\.storage.identifier).map {
            """
            \(indentation)if let \($0) = self.\($0) {
            \(indentation)    \(subject).\($0) = \($0)
            \(indentation)}
            """
        }.joined(separator: "\n")
    }
}

extension MappedDeclaration {
    /// The draft's own property, beside one for each mapped property.
    var editedName: String { freshName("edited") }

    /// Whether a draft refers to the instance it edits: a class to fill it, a structure to take
    /// over what is not mapped.
    var keepsEdited: Bool { isClass || !ignored.isEmpty }

    /// The type of a draft's property, which tells "not assigned" from every value.
    ///
    /// Only where nil and "not assigned" come to the same is one level of optionality saved.
    func draftType(of property: MappedProperty) -> String {
        let type = property.type.operandText
        return mergesAbsence(of: property) ? type : "\(type)?"
    }

    /// Whether an unassigned property ends as nil.
    func mergesAbsence(of property: MappedProperty) -> Bool {
        construction == .structure && property.storage.isOptional && !property.storage.hasDefault
    }
}
#endif
