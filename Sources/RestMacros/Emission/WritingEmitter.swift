// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits `write`, which switches over a property's index to write its value into a request.
///
/// Indices follow those of a superclass, which writes its own properties.
struct WritingEmitter {
    private let declaration: MappedDeclaration

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
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
            \(raw: cases.indented)
                default:
                    \(raw: otherwise)
                }
            }
            """
    }

    private var modifiers: String {
        guard declaration.hasInheritableDraft else {
            return declaration.isolation + declaration.access.prefix
        }
        return declaration.access.overridable + (declaration.superclass == nil ? "" : "override ")
    }

    private var cases: String {
        declaration.properties.enumerated().map { index, property in
            """
            case \(index):
                try writer.write(self.\(property.storage.identifier))
            """
        }.joined(separator: "\n")
    }
}
#endif
