// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// A type annotated `@Mapped`, read and checked: all that emission needs to know.
struct MappedDeclaration {
    /// How a finished draft becomes an instance.
    enum Construction {
        /// A structure: an initializer in an extension, so that the memberwise one survives.
        case structure
        /// A class whose properties are all variable: its empty initializer, then assignments.
        case emptyInitializer
        /// A class with constants or without an empty initializer: a designated initializer.
        case designatedInitializer
    }

    let name: String
    let construction: Construction
    let access: AccessLevel
    /// The mapped properties; a property's place here is its index.
    let properties: [MappedProperty]
    /// Ignored properties a new value must be given or an edited copy must keep.
    let ignored: [StoredProperty]
    /// Whether static storage is forbidden, or cannot be told to be allowed.
    let isGeneric: Bool
    /// `@available` attributes, which an extension does not inherit.
    let availability: [AttributeSyntax]

    var isClass: Bool { construction != .structure }

    /// A name for a local variable that no property has.
    func freshName(_ base: String) -> String {
        var name = base
        while properties.contains(where: { $0.storage.name == name }) {
            name = "mapped" + name.prefix(1).uppercased() + name.dropFirst()
        }
        return name
    }
}

/// A stored property that takes part in mapping.
struct MappedProperty {
    let storage: StoredProperty
    let type: TypeSyntax
    /// The argument of `@MappedKey` as written, quotes included.
    let sourceKey: String?
    /// Whether there is no instance without a value from the document.
    let isRequired: Bool
}

// MARK: - Reading

extension MappedDeclaration {
    /// The attributes that configure a property.
    static let markers: [PropertyMarker] = [.mappedKey, .mappedIgnored]

    /// Reads and checks a declaration; nothing if one of `diagnostics` is in the way.
    static func read(
        _ declaration: some DeclGroupSyntax, in lexicalContext: [Syntax],
        diagnostics: inout [Diagnostic]
    ) -> MappedDeclaration? {
        guard let type = MappableType(declaration, diagnostics: &diagnostics) else { return nil }
        if let actor = declaration.attributes.named("MainActor").first {
            diagnostics.append(
                Diagnostic(node: actor, message: MacroDiagnostic.isolated(type: type.name.text)))
        }
        let members = declaration.memberBlock.members
        let storage = StoredProperty.all(
            in: members, markers: markers, diagnostics: &diagnostics)
        if members.contains(where: { $0.decl.declaresType("Draft") }) {
            diagnostics.append(
                Diagnostic(
                    node: type.name,
                    message: MacroDiagnostic.memberTaken(macro: "Mapped", member: "Draft")))
        }

        var ignored: [StoredProperty] = []
        var mapped: [(storage: StoredProperty, type: TypeSyntax, sourceKey: String?)] = []
        for property in storage {
            let markers = PropertyMarkers(of: property, among: markers, &diagnostics)
            if markers.has(.mappedIgnored) {
                property.checkIgnored(diagnostics: &diagnostics)
                ignored.append(property)
                continue
            }
            property.checkAssignable(diagnostics: &diagnostics)
            guard let type = property.type else {
                diagnostics.append(property.missingType)
                continue
            }
            mapped.append((property, type, markers.sourceKey))
        }
        guard diagnostics.isEmpty else { return nil }

        let construction = type.construction(
            storage: storage, mapped: mapped.map(\.storage), members: members)
        return MappedDeclaration(
            name: type.name.text,
            construction: construction,
            access: AccessLevel(of: declaration.modifiers, in: lexicalContext),
            properties: mapped.map {
                MappedProperty(
                    storage: $0.storage, type: $0.type, sourceKey: $0.sourceKey,
                    isRequired: construction != .emptyInitializer
                        && !$0.storage.hasDefault && !$0.storage.isOptional)
            },
            ignored: ignored.filter { !($0.isConstant && $0.initialValue != nil) },
            isGeneric: type.isGeneric || lexicalContext.contains(where: \.mayBeGeneric),
            availability: declaration.attributes.named("available"))
    }
}

extension DeclSyntax {
    /// Whether this declares a nested type or a type alias of that name.
    fileprivate func declaresType(_ name: String) -> Bool {
        if let alias = self.as(TypeAliasDeclSyntax.self) { return alias.name.text == name }
        guard asProtocol((any DeclGroupSyntax).self) != nil else { return false }
        return asProtocol((any NamedDeclSyntax).self)?.name.text == name
    }
}

extension Syntax {
    /// Whether a type nested in this may have generic parameters from it.
    ///
    /// What an extension extends is not known here, so it may.
    fileprivate var mayBeGeneric: Bool {
        if self.is(ExtensionDeclSyntax.self) { return true }
        return asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
}
#endif
