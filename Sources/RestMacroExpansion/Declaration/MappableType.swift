// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// The structure or class that an attribute is attached to.
struct MappableType {
    let name: TokenSyntax
    let isGeneric: Bool
    let members: MemberBlockItemListSyntax
    let classType: ClassDeclSyntax?

    /// Creates a type from a structure or class, and diagnoses any other declaration.
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

    /// Returns the construction of instances.
    ///
    /// A class that `conforms` to `Mapped` without the macro and without declaring it inherits the
    /// conformance from its superclass.
    func construction(
        storage: [StoredProperty], mapped: [StoredProperty], conforms: Bool
    ) -> MappedDeclaration.Construction {
        guard let classType else { return .structure }
        let initializers = members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
        // Swift synthesizes an empty initializer for a class without a designated one.
        let hasImplicitInitializer =
            storage.allSatisfy(\.startsInitialized)
            && initializers.allSatisfy { $0.modifiers.contains(.convenience) }
        let inherited = classType.inheritanceClause?.inheritedTypes.map(\.type) ?? []
        if conforms, let superclass = inherited.first,
            !inherited.contains(where: { $0.baseName == "Mapped" })
        {
            return .subclass(
                of: superclass.trimmedDescription, inheritsInitializer: hasImplicitInitializer)
        }
        if !classType.modifiers.contains(.final) {
            return .superclass(losesInitializer: hasImplicitInitializer)
        }
        let hasEmptyInitializer =
            hasImplicitInitializer || initializers.contains(where: \.isCallableWithoutArguments)
        let areVariable = mapped.allSatisfy { !$0.isConstant }
        return hasEmptyInitializer && areVariable ? .emptyInitializer : .designatedInitializer
    }

    /// A Boolean value that indicates whether the class has a superclass, or `nil` if the inherited
    /// type may be a protocol.
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
    /// Returns the diagnostic for a kind of declaration that the macro cannot be attached to.
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

extension InitializerDeclSyntax {
    /// A Boolean value that indicates whether `Type()` calls the initializer without `try` or `await`
    /// and returns a non-optional instance.
    fileprivate var isCallableWithoutArguments: Bool {
        optionalMark == nil && signature.effectSpecifiers == nil
            && signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil }
    }
}
#endif
