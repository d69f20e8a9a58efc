// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// A type annotated `@Mapped`, read and checked: all that emission needs to know.
struct MappedDeclaration {
    /// How a finished draft becomes an instance.
    enum Construction: Equatable {
        /// A structure: an initializer in an extension, so that the memberwise one survives.
        case structure
        /// A final class whose properties are all variable: its empty initializer, then assignments.
        case emptyInitializer
        /// A final class with constants or no empty initializer: a designated initializer.
        case designatedInitializer
        /// A class others may inherit from: a designated initializer, which its subclasses call; it
        /// makes Swift withdraw the empty one if that was not written.
        case superclass(losesInitializer: Bool)
        /// A subclass of a mapped class: a designated initializer of its own, or the one it inherits
        /// if Swift lets it.
        case subclass(of: String, inheritsInitializer: Bool)
    }

    let name: String
    let construction: Construction
    let access: AccessLevel
    let isFinal: Bool
    /// Whether the class has a superclass, mapped or not.
    let hasSuperclass: Bool
    /// The mapped properties; a property's place here is its index, after those of a superclass.
    let properties: [MappedProperty]
    /// Ignored properties a new value must be given or an edited copy must keep.
    let ignored: [StoredProperty]
    /// Whether static storage is forbidden, or cannot be told to be allowed.
    let isGeneric: Bool
    /// `@available` attributes, which an extension does not inherit.
    let availability: [AttributeSyntax]

    var isClass: Bool { construction != .structure }

    /// The mapped class that this one inherits from.
    var superclass: String? {
        guard case .subclass(let superclass, _) = construction else { return nil }
        return superclass
    }

    /// Whether drafts are classes, which inherit as the classes they are for.
    var hasInheritableDraft: Bool {
        switch construction {
        case .superclass, .subclass: true
        default: false
        }
    }

    /// A name for a local variable that no property has.
    func freshName(_ base: String) -> String {
        var name = base
        while properties.contains(where: { $0.storage.name == name }) {
            name = "mapped" + name.prefix(1).uppercased() + name.dropFirst()
        }
        return name
    }

    /// The index of the property at a place among `properties`, as an expression.
    func index(_ place: Int) -> String {
        guard let superclass else { return "\(place)" }
        return "\(superclass).Draft.propertyCount" + (place == 0 ? "" : " + \(place)")
    }
}

/// A stored property that takes part in mapping.
struct MappedProperty {
    let storage: StoredProperty
    let type: TypeSyntax
    /// The key or path it is mapped from as a literal, if not its name.
    let sourceKey: String?
    /// The argument of `@MappedTransform` as written.
    let transform: String?
    /// The argument of `@MappedPolicy` as written.
    let policy: String?
    /// Whether there is no instance without a value from the document.
    var isRequired: Bool
}

// MARK: - Reading

extension MappedDeclaration {
    /// The attributes that configure a property.
    static let markers: [PropertyMarker] = [
        .mappedKey, .mappedTransform, .mappedPolicy, .mappedIgnored,
    ]

    /// Reads and checks a declaration.
    ///
    /// - Parameters:
    ///   - declaration: What the attribute stands on.
    ///   - attribute: The attribute.
    ///   - conforms: Whether the type conforms to `Mapped` without the macro.
    ///   - lexicalContext: What the declaration is nested in.
    ///   - diagnostics: Receives what is wrong.
    /// - Returns: What to emit, or nil.
    static func read(
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
        let construction = type.construction(
            storage: storage, mapped: mapped.map(\.storage), conforms: conforms)
        type.checkInitializer(construction, diagnostics: &diagnostics)
        guard diagnostics.isEmpty else { return nil }

        if construction == .emptyInitializer {
            // The class's own initializer gives every property a value.
            for index in mapped.indices { mapped[index].isRequired = false }
        }
        return MappedDeclaration(
            name: type.name.text, construction: construction,
            access: AccessLevel(of: declaration.modifiers, in: lexicalContext),
            isFinal: type.isFinal, hasSuperclass: type.hasSuperclass ?? true, properties: mapped,
            ignored: ignored.filter { !($0.isConstant && $0.initialValue != nil) },
            isGeneric: type.isGeneric || lexicalContext.contains(where: \.mayBeGeneric),
            availability: declaration.attributes.named("available"))
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
