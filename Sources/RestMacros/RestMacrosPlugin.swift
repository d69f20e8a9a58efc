// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftCompilerPlugin
import SwiftSyntaxMacros

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
