// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// The macro of an attribute that configures a property for the macro on the enclosing type.
///
/// It generates no code and diagnoses an attribute that is not on a property.
package protocol PropertyMarkerExpansion: PeerMacro {}

extension PropertyMarkerExpansion {
    package static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if !declaration.is(VariableDeclSyntax.self) {
            context.diagnose(
                Diagnostic(
                    node: node, message: MacroDiagnostic.notProperty(attribute: node.baseName)))
        }
        return []
    }
}
#endif
