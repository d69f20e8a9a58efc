// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension MappableType {
    /// Diagnoses members that have the name of a generated member, and a type that has it itself.
    ///
    /// - Returns: The nested private types by name.
    func checkMembers(diagnostics: inout [Diagnostic]) -> [String: any DeclGroupSyntax] {
        var privateTypes: [String: any DeclGroupSyntax] = [:]
        if name.text == "Draft" {
            diagnostics.append(
                Diagnostic(node: name, message: MacroDiagnostic.conflictingName))
        }
        for member in members {
            if member.decl.declares("Draft") {
                diagnostics.append(conflict("Draft", with: member.decl))
            }
            if let variable = member.decl.as(VariableDeclSyntax.self),
                variable.modifiers.contains(.static) || variable.modifiers.contains(.class),
                variable.names.contains("properties")
            {
                diagnostics.append(conflict("properties", with: member.decl))
            }
            if let classType, !classType.modifiers.contains(.final),
                member.decl.as(VariableDeclSyntax.self)?.names.contains("makeDraft") == true
            {
                diagnostics.append(conflict("makeDraft", with: member.decl))
            }
            if let type = member.decl.asProtocol((any DeclGroupSyntax).self),
                type.modifiers.contains(.private),
                let name = member.decl.asProtocol((any NamedDeclSyntax).self)?.name.text
            {
                privateTypes[name] = type
            }
        }
        return privateTypes
    }

    /// Diagnoses a class without the empty initializer that Swift no longer synthesizes, if it is
    /// unknown whether the initializer overrides a superclass's.
    func checkInitializer(
        _ construction: MappedDeclaration.Construction, diagnostics: inout [Diagnostic]
    ) {
        guard construction == .superclass(losesInitializer: true), hasSuperclass == nil else {
            return
        }
        diagnostics.append(missingInitializer)
    }

    private var missingInitializer: Diagnostic {
        var fixIts: [FixIt] = []
        if let classType {
            fixIts = [false, true].map { isOverride in
                let initializer: DeclSyntax =
                    isOverride ? "override init() { super.init() }" : "init() {}"
                var fixed = classType
                fixed.memberBlock.members.append(
                    MemberBlockItemSyntax(
                        leadingTrivia: .newlines(2) + .spaces(4), decl: initializer))
                return .replace(
                    message: MacroFixIt.addInitializer(isOverride: isOverride),
                    oldNode: classType, newNode: fixed)
            }
        }
        return Diagnostic(
            node: name, message: MacroDiagnostic.missingInitializer(type: name.text),
            fixIts: fixIts)
    }

    private func conflict(_ generated: String, with member: DeclSyntax) -> Diagnostic {
        let named = member.asProtocol((any NamedDeclSyntax).self)?.name
        let pattern = member.as(VariableDeclSyntax.self)?.bindings.first?.pattern
        return Diagnostic(
            node: named.map(Syntax.init) ?? pattern.map(Syntax.init) ?? Syntax(member),
            message: MacroDiagnostic.conflictingMember(macro: "Mapped", member: generated))
    }
}

extension StoredProperty {
    /// Diagnoses names in the property's type that resolve differently in the generated draft.
    func checkNames(
        in type: TypeSyntax, privateTypes: [String: any DeclGroupSyntax],
        diagnostics: inout [Diagnostic]
    ) {
        let names = type.tokens(viewMode: .sourceAccurate).filter { token in
            guard case .identifier = token.tokenKind else { return false }
            return token.previousToken(viewMode: .sourceAccurate)?.tokenKind != .period
        }
        if names.contains(where: { $0.text == "Draft" }) {
            diagnostics.append(
                Diagnostic(
                    node: binding.typeAnnotation.map { Syntax($0.type) } ?? Syntax(type),
                    message: MacroDiagnostic.hiddenDraft(property: name)))
        }
        guard variable.modifiers.contains(.private),
            let hidden = names.first(where: { privateTypes[$0.text] != nil }),
            let declaration = privateTypes[hidden.text]
        else { return }
        diagnostics.append(
            diagnose(
                .privateType(property: name, type: hidden.text),
                fixIts: [declaration.makeFileprivate].compactMap(\.self)))
    }
}

extension DeclGroupSyntax {
    /// A fix-it that replaces `private` with `fileprivate`.
    fileprivate var makeFileprivate: FixIt? {
        guard
            let keyword = modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })?.name
        else { return nil }
        return .replace(
            message: MacroFixIt.makeFileprivate, oldNode: keyword,
            newNode: TokenSyntax.keyword(
                .fileprivate, leadingTrivia: keyword.leadingTrivia,
                trailingTrivia: keyword.trailingTrivia))
    }
}

extension DeclSyntax {
    /// Returns a Boolean value that indicates whether this is a nested type, a type alias or a property
    /// with a name.
    fileprivate func declares(_ name: String) -> Bool {
        if let alias = self.as(TypeAliasDeclSyntax.self) { return alias.name.text == name }
        if let variable = self.as(VariableDeclSyntax.self) { return variable.names.contains(name) }
        guard asProtocol((any DeclGroupSyntax).self) != nil else { return false }
        return asProtocol((any NamedDeclSyntax).self)?.name.text == name
    }
}

extension VariableDeclSyntax {
    /// The declared names without backticks.
    fileprivate var names: [String] {
        bindings.compactMap {
            $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.identifier?.name
        }
    }
}

extension AttributeSyntax {
    /// Returns the argument `keys:` of `@Mapped` or `@Entity`.
    func keyStyle(diagnostics: inout [Diagnostic]) -> KeyStyle {
        guard
            let argument = labeledArguments.first(where: { $0.label?.text == "keys" })?.expression
        else { return .asDeclared }
        let name = argument.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        if let style = name.flatMap(KeyStyle.init(rawValue:)) { return style }
        diagnostics.append(
            Diagnostic(node: argument, message: MacroDiagnostic.unknownKeyStyle))
        return .asDeclared
    }
}
#endif
