// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension ClassDeclSyntax {
    /// Returns the superclass, and diagnoses a class without one.
    ///
    /// A type that is not known to be a protocol is the superclass.
    func entitySuperclass(diagnostics: inout [Diagnostic]) -> TypeSyntax? {
        if let first = inheritanceClause?.inheritedTypes.first?.type,
            !Self.protocols.contains(first.baseName ?? "")
        {
            return first.trimmed
        }
        diagnostics.append(missingSuperclass)
        return nil
    }

    /// Diagnoses a class that cannot be an entity.
    func checkEntity(diagnostics: inout [Diagnostic]) {
        if let generics = genericParameterClause {
            diagnostics.append(
                Diagnostic(node: generics, message: MacroDiagnostic.genericEntity(name.text)))
        }
        for member in memberBlock.members {
            guard let generated = member.decl.nameOfGeneratedMember else { continue }
            diagnostics.append(
                Diagnostic(
                    node: member.decl,
                    message: MacroDiagnostic.conflictingMember(
                        macro: "Entity", member: generated)))
        }
    }

    /// Diagnoses variables that cannot be managed: `lazy`, `weak` and `unowned` ones, unless they are
    /// ignored.
    func checkModifiers(diagnostics: inout [Diagnostic]) {
        for member in memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                let modifier = variable.unmanagedModifier,
                variable.attributes.named("MappedIgnored").isEmpty
            else { continue }
            let name = variable.bindings.first?.pattern.trimmedDescription ?? ""
            diagnostics.append(
                Diagnostic(
                    node: modifier,
                    message: MacroDiagnostic.managedModifier(modifier.name.text, property: name),
                    fixIts: [variable.fixItRemoving(modifier), variable.fixItIgnoring]))
        }
    }

    /// The diagnostic for a missing superclass, with a fix-it that adds it.
    private var missingSuperclass: Diagnostic {
        var fixed = self
        fixed.inheritanceClause = inheritanceClause.inheritingManagedObject
        if inheritanceClause == nil { fixed.name.trailingTrivia = [] }
        return Diagnostic(
            node: name, message: MacroDiagnostic.notManaged(name.text),
            fixIts: [.replace(message: MacroFixIt.inherit, oldNode: self, newNode: fixed)])
    }

    private static let protocols: Set<String> = [
        "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible",
        "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Hashable",
        "Identifiable", "ManagedEntity", "Mapped", "ObservableObject", "Sendable",
    ]
}

extension DeclGroupSyntax {
    /// The diagnostic for a declaration that is not a class, with a fix-it for a structure.
    var notClass: Diagnostic {
        var diagnostic = wrongKind(macro: "Entity", allowed: "subclasses of 'ManagedObject'")
        guard let structure = self.as(StructDeclSyntax.self) else { return diagnostic }
        var keyword = structure.structKeyword
        keyword.tokenKind = .keyword(.class)
        keyword.leadingTrivia = []
        let final = DeclModifierSyntax(
            leadingTrivia: structure.structKeyword.leadingTrivia, name: .keyword(.final),
            trailingTrivia: .space)
        var type = ClassDeclSyntax(
            leadingTrivia: [], attributes: structure.attributes,
            modifiers: structure.modifiers + [final], classKeyword: keyword,
            name: structure.name, genericParameterClause: structure.genericParameterClause,
            inheritanceClause: structure.inheritanceClause.inheritingManagedObject,
            genericWhereClause: structure.genericWhereClause,
            memberBlock: structure.memberBlock)
        if structure.inheritanceClause == nil { type.name.trailingTrivia = [] }
        diagnostic = Diagnostic(
            node: introducer, message: MacroDiagnostic.structEntity(structure.name.text),
            fixIts: [
                FixIt(
                    message: MacroFixIt.makeEntityClass,
                    changes: [
                        .replace(oldNode: Syntax(structure), newNode: Syntax(type))
                    ])
            ])
        return diagnostic
    }
}

extension InheritanceClauseSyntax? {
    /// The clause with `ManagedObject` before the other types, which may be protocols.
    fileprivate var inheritingManagedObject: InheritanceClauseSyntax {
        var superclass = InheritedTypeSyntax(type: IdentifierTypeSyntax(name: "ManagedObject"))
        guard var clause = self else {
            return InheritanceClauseSyntax(
                colon: .colonToken(trailingTrivia: .space), inheritedTypes: [superclass],
                trailingTrivia: .space)
        }
        superclass.trailingComma = .commaToken(trailingTrivia: .space)
        clause.inheritedTypes.insert(superclass, at: clause.inheritedTypes.startIndex)
        return clause
    }
}

extension DeclSyntax {
    /// The name of the declared member if the macro generates one of this name.
    fileprivate var nameOfGeneratedMember: String? {
        if let variable = self.as(VariableDeclSyntax.self),
            variable.modifiers.contains(.static) || variable.modifiers.contains(.class)
        {
            let names = variable.bindings.map(\.pattern.trimmedDescription)
            return names.contains("entity") ? "entity" : nil
        }
        let name =
            self.as(StructDeclSyntax.self)?.name ?? self.as(EnumDeclSyntax.self)?.name
            ?? self.as(ClassDeclSyntax.self)?.name ?? self.as(TypeAliasDeclSyntax.self)?.name
        return name?.text == "Values" ? "Values" : nil
    }
}

extension VariableDeclSyntax {
    /// The modifier of a variable that no context can manage; `nil` if there is none.
    var unmanagedModifier: DeclModifierSyntax? {
        let unmanaged: [Keyword] = [.lazy, .weak, .unowned]
        return modifiers.first { modifier in
            unmanaged.contains { modifier.name.tokenKind == .keyword($0) }
        }
    }

    fileprivate func fixItRemoving(_ modifier: DeclModifierSyntax) -> FixIt {
        var fixed = self
        fixed.modifiers = modifiers.filter { $0.id != modifier.id }
        fixed.leadingTrivia = leadingTrivia
        return .replace(
            message: MacroFixIt.removeModifier(modifier.name.text), oldNode: self, newNode: fixed)
    }
}
#endif
