// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// The structure or class an attribute stands on.
struct MappableType {
    let name: TokenSyntax
    let isGeneric: Bool
    let members: MemberBlockItemListSyntax
    let classType: ClassDeclSyntax?

    /// Takes structures and classes; says what is wrong with anything else.
    init?(_ declaration: some DeclGroupSyntax, diagnostics: inout [Diagnostic]) {
        members = declaration.memberBlock.members
        if let structure = declaration.as(StructDeclSyntax.self) {
            name = structure.name
            isGeneric = structure.genericParameterClause != nil
            classType = nil
        } else if let classType = declaration.as(ClassDeclSyntax.self) {
            name = classType.name
            isGeneric = classType.genericParameterClause != nil
            self.classType = classType
        } else {
            diagnostics.append(
                declaration.wrongKind(macro: "Mapped", allowed: "structs and classes"))
            return nil
        }
    }

    /// Chooses how instances are made.
    ///
    /// That the type `conforms` to `Mapped` without the macro means, for a class that does not say so
    /// itself, that its superclass does.
    func construction(
        storage: [StoredProperty], mapped: [StoredProperty], conforms: Bool
    ) -> MappedDeclaration.Construction {
        guard let classType else { return .structure }
        let initializers = members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
        // Swift gives a class an empty initializer if nobody wrote a designated one.
        let isComplete =
            storage.allSatisfy(\.startsInitialized)
            && initializers.allSatisfy { $0.modifiers.contains(.convenience) }
        let inherited = classType.inheritanceClause?.inheritedTypes.map(\.type) ?? []
        if conforms, let superclass = inherited.first,
            !inherited.contains(where: { $0.baseName == "Mapped" })
        {
            return .subclass(
                of: superclass.trimmedDescription, inheritsInitializer: isComplete)
        }
        if !classType.modifiers.contains(.final) {
            return .superclass(losesInitializer: isComplete)
        }
        let hasEmpty = isComplete || initializers.contains(where: \.isCallableWithoutArguments)
        let areVariable = mapped.allSatisfy { !$0.isConstant }
        return hasEmpty && areVariable ? .emptyInitializer : .designatedInitializer
    }

    /// Whether the class inherits from another one; nil if what it inherits may be a protocol.
    var hasSuperclass: Bool? {
        guard let first = classType?.inheritanceClause?.inheritedTypes.first?.type else {
            return false
        }
        guard let name = first.baseName else { return false }
        if name == "NSObject" { return true }
        return Self.protocols.contains(name) ? false : nil
    }

    var isFinal: Bool { classType?.modifiers.contains(.final) ?? true }

    private static let protocols: Set<String> = [
        "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible",
        "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Hashable",
        "Identifiable", "Mapped", "ObservableObject", "Sendable",
    ]
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
