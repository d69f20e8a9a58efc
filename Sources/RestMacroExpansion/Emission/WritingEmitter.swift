// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Emits `write`, which switches over a property's index to write its value into a request.
///
/// Indices follow those of a superclass, which writes its own properties. The statement of a property
/// has the source location of its declaration, so that the compiler reports a type that cannot be
/// mapped there.
struct WritingEmitter {
    private let declaration: MappedDeclaration
    /// The directives before the properties' statements.
    private let locations: [String]

    init(_ declaration: MappedDeclaration, in context: some MacroExpansionContext) {
        self.declaration = declaration
        locations = declaration.properties.map { context.directive(before: $0.storage.binding) }
    }

    var syntax: DeclSyntax {
        let superclass = declaration.superclass
        let first = superclass.map { " - \($0).Draft.propertyCount" } ?? ""
        let otherwise = superclass == nil ? "break" : "try super.write(property, to: &writer)"
        return """
            \(raw: modifiers)func write(_ property: Swift.Int, \
            to writer: inout RestMapping.RequestWriter) \
            throws(RestMapping.MappingFailure) {
                switch property\(raw: first) {
            \(raw: (cases + ending).indented)    default:
                    \(raw: otherwise)
                }
            }
            """
    }

    private var modifiers: String {
        declaration.isolation
            + (declaration.hasInheritableDraft
                ? declaration.access.overridable
                    + (declaration.superclass == nil ? "" : "override ")
                : declaration.access.prefix)
    }

    private var cases: String {
        declaration.properties.enumerated().map { index, property in
            """
            case \(index):
            \(locations[index].indented)    try writer.write(self.\(property.storage.identifier))

            """
        }.joined()
    }

    /// The directive after the statements of the properties.
    private var ending: String { locations.allSatisfy(\.isEmpty) ? "" : "#sourceLocation()\n" }
}
#endif
