// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits the `Draft` of a superclass or subclass, and the methods that create it.
///
/// Drafts are classes with the inheritance of the mapped classes. Each collects the values of one
/// class's properties, whose indices follow those of the superclass.
struct InheritableDraftEmitter {
    private let declaration: MappedDeclaration
    private let type: String
    private let edited: String

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
        type = declaration.name
        edited = declaration.editedName
    }

    var members: [DeclSyntax] {
        let finish: DeclSyntax = """
            \(raw: declaration.isolation)\(raw: prefix)class func finish(_ draft: Draft) throws(RestMapping.MappingFailure) -> Self {
                try draft.finish(as: Self.self)
            }
            """
        return [
            draft,
            """
            \(raw: declaration.isolation)\(raw: overriding)class func makeDraft() -> Draft {
                Draft()
            }
            """,
            """
            \(raw: declaration.isolation)\(raw: overriding)func makeDraft() -> Draft {
                Draft(editing: self)
            }
            """,
        ] + (isSubclass ? [] : [finish])
    }

    private var draft: DeclSyntax {
        let parent = declaration.superclass.map { "\($0).Draft" } ?? "RestMapping.InheritableDraft"
        let parts = [
            declaration.storage.joined(separator: "\n"),
            "private let \(edited): \(type)?",
            initializer, editingInitializer, count, PropertyTableEmitter(declaration).list,
            overriding + AssignmentEmitter(declaration).text,
            update,
            """
            \(overriding)func finish() throws(RestMapping.MappingFailure) -> \(type) {
            \(finishing.indented)
            }
            """,
        ]
        let access = declaration.isFinal ? "\(prefix)final " : declaration.access.overridable
        return """
            nonisolated \(raw: access)class Draft: \(raw: parent) {
            \(raw: parts.filter { !$0.isEmpty }.map(\.indented).joined(separator: "\n\n"))
            }
            """
    }

    private var finishing: String {
        if declaration.isRefused { return "Swift.fatalError()" }
        return """
            let \(subject) = if let \(edited) = self.\(edited) { \(edited) } else { try \(type)(finishing: self) }
            self.update(\(subject))
            return \(subject)
            """
    }

    private var subject: String { declaration.freshName("subject") }
    private var prefix: String { declaration.access.prefix }
    private var isSubclass: Bool { declaration.superclass != nil }

    /// The modifiers of a method that every mapped class of the hierarchy has.
    private var overriding: String {
        declaration.access.overridable + (isSubclass ? "override " : "")
    }

    private var initializer: String {
        """
        \(prefix)\(isSubclass ? "override " : "")init() {
            self.\(edited) = nil\(isSubclass ? "\n    super.init()" : "")
        }
        """
    }

    private var editingInitializer: String {
        """
        \(prefix)init(editing subject: \(type)) {
            self.\(edited) = subject\(isSubclass ? "\n    super.init(editing: subject)" : "")
        }
        """
    }

    /// The declaration of the number of properties that precede those of a subclass.
    private var count: String {
        """
        \(overriding)class var propertyCount: Swift.Int {
            \(isSubclass ? "super.propertyCount + " : "")\(declaration.properties.count)
        }
        """
    }

    /// The declaration of the method that assigns the draft's values to an instance.
    private var update: String {
        let lines = [
            isSubclass ? "super.update(\(subject))" : "", declaration.assignments(to: subject),
        ]
        return """
            \(prefix)func update(_ \(subject): \(type)) {
            \(lines.filter { !$0.isEmpty }.joined(separator: "\n").indented)
            }
            """
    }
}
#endif
