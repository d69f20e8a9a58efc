// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestMacroExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

// The compiler finds a macro by the names of the plug-in's module and of a type in it.
enum MappedMacro: MappedExpansion {}
enum EntityMacro: EntityExpansion {}
enum ManagedPropertyMacro: ManagedPropertyExpansion {}
enum PropertyMarkerMacro: PropertyMarkerExpansion {}

@main
struct RestMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        MappedMacro.self,
        EntityMacro.self,
        ManagedPropertyMacro.self,
        PropertyMarkerMacro.self,
    ]
}
#else
@main
struct RestMacrosPlugin {
    static func main() {}
}
#endif
