// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// An attribute that only configures a property and generates nothing itself.
///
/// The macro on the enclosing type reads it; this one makes sure that it stands on a property.
enum PropertyMarkerMacro: PeerMacro {
    static func expansion(
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
