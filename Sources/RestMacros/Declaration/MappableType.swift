// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// The structure or final class an attribute stands on.
struct MappableType {
    let name: TokenSyntax
    let isGeneric: Bool
    private let isClass: Bool

    /// Takes structures and final classes; says what is wrong with anything else.
    init?(_ declaration: some DeclGroupSyntax, diagnostics: inout [Diagnostic]) {
        if let structure = declaration.as(StructDeclSyntax.self) {
            name = structure.name
            isGeneric = structure.genericParameterClause != nil
            isClass = false
        } else if let classType = declaration.as(ClassDeclSyntax.self) {
            name = classType.name
            isGeneric = classType.genericParameterClause != nil
            isClass = true
            if !classType.modifiers.contains(.final) {
                diagnostics.append(classType.notFinal(macro: "Mapped"))
            }
        } else {
            diagnostics.append(
                declaration.wrongKind(macro: "Mapped", allowed: "structs and final classes"))
            return nil
        }
    }

    /// Chooses how instances are made.
    func construction(
        storage: [StoredProperty], mapped: [StoredProperty], members: MemberBlockItemListSyntax
    ) -> MappedDeclaration.Construction {
        guard isClass else { return .structure }
        let initializers = members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
        // Swift gives a class an empty initializer if nobody wrote a designated one.
        let hasImplicit =
            storage.allSatisfy(\.startsInitialized)
            && initializers.allSatisfy { $0.modifiers.contains(.convenience) }
        let hasEmpty = hasImplicit || initializers.contains(where: \.isCallableWithoutArguments)
        let areVariable = mapped.allSatisfy { !$0.isConstant }
        return hasEmpty && areVariable ? .emptyInitializer : .designatedInitializer
    }
}

extension DeclGroupSyntax {
    /// Says that the macro does not work on this kind of declaration.
    func wrongKind(macro: String, allowed: String) -> Diagnostic {
        let found =
            switch introducer.tokenKind {
            case .keyword(.enum): "an enum"
            case .keyword(.actor): "an actor"
            case .keyword(.protocol): "a protocol"
            case .keyword(.extension): "an extension"
            case .keyword(.struct): "a struct"
            default: "this declaration"
            }
        return Diagnostic(
            node: introducer,
            message: MacroDiagnostic.wrongKind(macro: macro, found: found, allowed: allowed))
    }
}

extension ClassDeclSyntax {
    /// Says that the class must be final, and offers to make it so.
    func notFinal(macro: String) -> Diagnostic {
        var repaired = self
        if let open = modifiers.firstIndex(where: { $0.name.tokenKind == .keyword(.open) }) {
            repaired.modifiers[open].name.tokenKind = .keyword(.public)
        }
        if modifiers.isEmpty {
            repaired.classKeyword.leadingTrivia = []
        }
        let final = DeclModifierSyntax(
            leadingTrivia: modifiers.isEmpty ? classKeyword.leadingTrivia : [],
            name: .keyword(.final), trailingTrivia: .space)
        repaired.modifiers.append(final)
        return Diagnostic(
            node: classKeyword,
            message: MacroDiagnostic.notFinal(macro: macro, type: name.text),
            fixIts: [.replace(message: MacroFixIt.addFinal, oldNode: self, newNode: repaired)])
    }
}

extension InitializerDeclSyntax {
    /// Whether `Type()` calls this, without `try` or `await`, and gives an instance.
    fileprivate var isCallableWithoutArguments: Bool {
        optionalMark == nil && signature.effectSpecifiers == nil
            && signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil }
    }
}
#endif
