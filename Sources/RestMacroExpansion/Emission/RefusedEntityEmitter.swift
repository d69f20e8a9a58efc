// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits the members of a class with diagnostics.
///
/// The class keeps its stored properties and conforms, so that the compiler reports neither missing
/// initializers nor uses of the class. The program cannot run because of the diagnostics.
struct RefusedEntityEmitter {
    private let declaration: EntityDeclaration

    init(_ declaration: EntityDeclaration) {
        self.declaration = declaration
    }

    var members: [DeclSyntax] {
        let access = declaration.access.prefix
        let modifier = declaration.superentity == nil ? "" : "override "
        return [
            Self.initializer(isRequired: true, access: access),
            """
            \(raw: access)\(raw: modifier)class var entity: RestPersistence.EntityDescription {
                Swift.fatalError()
            }
            """,
        ]
    }

    /// Returns an initializer that makes stored properties without a value valid.
    static func initializer(isRequired: Bool, access: String) -> DeclSyntax {
        """
        \(raw: access)\(raw: isRequired ? "required " : "")init(\
        _ binding: RestPersistence.ManagedObjectBinding) {
            Swift.fatalError()
        }
        """
    }
}
#endif
