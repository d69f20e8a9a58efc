// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// A validated declaration of a type annotated with `@Mapped`.
struct MappedDeclaration {
    /// The construction of an instance from a finished draft.
    enum Construction: Equatable {
        /// A structure: an initializer in an extension, which preserves the memberwise one.
        case structure
        /// A final class whose properties are all variable: its empty initializer, then assignments.
        case emptyInitializer
        /// A final class with constants or no empty initializer: a designated initializer.
        case designatedInitializer
        /// A class that is not final: a designated initializer, which subclasses call. It prevents
        /// Swift from synthesizing an empty one.
        case superclass(losesInitializer: Bool)
        /// A subclass of a mapped class: the inherited designated initializer if Swift inherits it,
        /// else one of its own.
        case subclass(of: String, inheritsInitializer: Bool)
    }

    let name: String
    let construction: Construction
    let access: AccessLevel
    let isFinal: Bool
    /// A Boolean value that indicates whether the class has a superclass, mapped or not.
    let hasSuperclass: Bool
    /// The mapped properties, whose indices follow those of a superclass.
    let properties: [MappedProperty]
    /// The ignored properties that an initializer has to set.
    let ignored: [StoredProperty]
    /// A Boolean value that indicates whether the type is or may be generic and therefore cannot have
    /// static storage.
    let isGeneric: Bool
    /// `@available` attributes, which an extension does not inherit.
    let availability: [AttributeSyntax]
    /// A Boolean value that indicates whether there are diagnostics; the declaration then has no
    /// properties, and the bodies of generated functions end the program.
    let isRefused: Bool

    var isClass: Bool { construction != .structure }

    /// The modifier of generated members, followed by a space, or an empty string.
    ///
    /// Mapping runs outside every actor. The stored properties of a structure are accessible there even
    /// if the module's default isolation is the main actor; those of a class only if the class is
    /// declared `nonisolated`, as its members then are. A refused class may be isolated.
    var isolation: String { isClass && !isRefused ? "" : "nonisolated " }

    /// The mapped superclass.
    var superclass: String? {
        guard case .subclass(let superclass, _) = construction else { return nil }
        return superclass
    }

    /// A Boolean value that indicates whether the draft is a class, with the inheritance of the mapped
    /// class.
    var hasInheritableDraft: Bool {
        switch construction {
        case .superclass, .subclass: true
        default: false
        }
    }

    /// Returns a name for a local variable that differs from all properties.
    func freshName(_ base: String) -> String {
        var name = base
        while properties.contains(where: { $0.storage.name == name }) {
            name = "mapped" + name.prefix(1).uppercased() + name.dropFirst()
        }
        return name
    }

    /// Returns the expression for the index of a property at a position in `properties`.
    func index(_ position: Int) -> String {
        guard let superclass else { return "\(position)" }
        return "\(superclass).Draft.propertyCount" + (position == 0 ? "" : " + \(position)")
    }
}

/// A stored property that is mapped.
struct MappedProperty {
    let storage: StoredProperty
    let type: TypeSyntax
    /// The source key or path as a literal, or `nil` if it is the property's name.
    let sourceKey: String?
    /// The argument of `@MappedTransform` as written.
    let transform: String?
    /// The argument of `@MappedPolicy` as written.
    let policy: String?
    /// A Boolean value that indicates whether an instance requires a value from the document.
    var isRequired: Bool
}

// MARK: - Parsing

extension MappedDeclaration {
    /// The attributes that configure a property.
    static let markers: [PropertyMarker] = [
        .mappedKey, .mappedTransform, .mappedPolicy, .mappedIgnored,
    ]

    /// Parses and validates a declaration.
    ///
    /// - Parameters:
    ///   - declaration: The declaration that the attribute is attached to.
    ///   - attribute: The attribute.
    ///   - conforms: A Boolean value that indicates whether the type conforms to `Mapped` without
    ///     the macro.
    ///   - lexicalContext: The declarations around it, innermost first.
    ///   - diagnostics: The list that diagnostics are appended to.
    /// - Returns: The declaration, which is refused if there are diagnostics, or `nil` if it is of
    ///   another kind or if generated names conflict with its own.
    static func parse(
        _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax, conforms: Bool,
        in lexicalContext: [Syntax], diagnostics: inout [Diagnostic]
    ) -> MappedDeclaration? {
        guard let type = MappableType(declaration, diagnostics: &diagnostics) else { return nil }
        if let actor = declaration.attributes.named("MainActor").first {
            diagnostics.append(
                Diagnostic(node: actor, message: MacroDiagnostic.isolated(type: type.name.text)))
        }
        let style = attribute.keyStyle(diagnostics: &diagnostics)
        let storage = StoredProperty.all(
            in: declaration.memberBlock.members, markers: markers, diagnostics: &diagnostics)
        let privateTypes = type.checkMembers(diagnostics: &diagnostics)

        var ignored: [StoredProperty] = []
        var mapped: [MappedProperty] = []
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
            property.checkNames(in: type, privateTypes: privateTypes, diagnostics: &diagnostics)
            let key = markers.sourceKey ?? style.literal(for: property.name)
            mapped.append(
                MappedProperty(
                    storage: property, type: type, sourceKey: key, transform: markers.transform,
                    policy: markers.policy,
                    isRequired: !property.hasDefault && !property.isOptional))
        }
        var construction = type.construction(
            storage: storage, mapped: mapped.map(\.storage), conforms: conforms)
        type.checkInitializer(construction, diagnostics: &diagnostics)
        if diagnostics.contains(where: \.concernsGeneratedName) { return nil }
        let isRefused = !diagnostics.isEmpty
        if isRefused {
            mapped = []
            ignored = []
            construction = type.construction(storage: storage, mapped: [], conforms: conforms)
            if type.hasSuperclass == nil, case .superclass = construction {
                construction = .superclass(losesInitializer: false)
            }
        }

        if construction == .emptyInitializer {
            // The empty initializer sets all properties.
            for index in mapped.indices { mapped[index].isRequired = false }
        }
        return MappedDeclaration(
            name: type.name.text, construction: construction,
            access: AccessLevel(of: declaration.modifiers, in: lexicalContext),
            isFinal: type.isFinal, hasSuperclass: type.hasSuperclass ?? true, properties: mapped,
            ignored: ignored.filter { !($0.isConstant && $0.initialValue != nil) },
            isGeneric: type.isGeneric || lexicalContext.contains(where: \.mayBeGeneric),
            availability: declaration.attributes.named("available"), isRefused: isRefused)
    }
}

extension Diagnostic {
    /// A Boolean value that indicates whether the declaration has a name that the macro generates.
    fileprivate var concernsGeneratedName: Bool {
        switch diagMessage as? MacroDiagnostic {
        case .conflictingMember, .conflictingName, .hiddenDraft: true
        default: false
        }
    }
}

extension Syntax {
    /// A Boolean value that indicates whether a nested type may have generic parameters from this
    /// declaration.
    ///
    /// `true` for an extension, as a macro does not know the extended type's declaration.
    fileprivate var mayBeGeneric: Bool {
        if self.is(ExtensionDeclSyntax.self) { return true }
        return asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
}
#endif
