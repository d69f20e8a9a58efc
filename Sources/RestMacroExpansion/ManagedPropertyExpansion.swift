// SPDX-License-Identifier: Apache-2.0

#if Macros
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// The `@ManagedProperty` macro, which `@Entity` adds: generates the accessors of one property.
package protocol ManagedPropertyExpansion: AccessorMacro {}

extension ManagedPropertyExpansion {
    package static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        let arguments = node.labeledArguments
        guard let position = arguments.first?.expression else { return [] }
        let index = arguments.count == 1 ? "\(position)" : "Values.propertyOffset + \(position)"
        return [
            """
            get {
                self.managedValue(\(raw: index))
            }
            """,
            """
            set {
                self.setManagedValue(\(raw: index), newValue)
            }
            """,
        ]
    }
}
#endif
