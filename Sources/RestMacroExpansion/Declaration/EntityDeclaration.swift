// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A declaration of a class annotated with `@Entity`.
struct EntityDeclaration {
    let name: String
    /// The argument of `@Entity(name:)` as written.
    let entityName: String?
    /// The argument of `@Entity(renamedFrom:)` as written.
    let formerNames: String?
    /// The superclass as written if it is an entity; `nil` for `ManagedObject`.
    let superentity: String?
    let isFinal: Bool
    let access: AccessLevel
    /// The managed properties by index, without those of the super-entity.
    let properties: [ManagedProperty]
    /// `@available` attributes, which an extension does not inherit.
    let availability: [AttributeSyntax]
    /// A Boolean value that indicates whether the declaration has diagnostics.
    ///
    /// Such a class gets members without an implementation, so that the compiler does not report
    /// each of their uses in addition.
    let isRefused: Bool

    /// Returns the index of the managed property that a member declares, or `nil` if it declares
    /// none.
    func index(of variable: VariableDeclSyntax) -> Int? {
        let identifiers = variable.bindings.compactMap {
            $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        }
        guard identifiers.count == 1 else { return nil }
        return properties.firstIndex { $0.identifier == identifiers[0] }
    }
}

/// A property whose value the object's context stores.
struct ManagedProperty {
    let identifier: String
    let name: String
    /// The type as source text, with `?` in place of `!`.
    let type: String
    let kind: ManagedKind
    let isOptional: Bool
    let access: MemberAccess
    let isIdentity: Bool
    let isIndexed: Bool
    let isSearchable: Bool
    /// The arguments of `@Renamed` as written.
    let formerNames: [String]
    /// The argument of `@MaximumLength` as written.
    let maximumLength: String?
    /// The argument of `@DeleteRule` as written.
    let deleteRule: String?
    /// The argument of `@MappedAssignment` as written.
    let assignment: String?
    /// The arguments of `@Identity` as written; empty for none.
    let identityForm: String?
    /// The argument of `@MappedPolicy` as written.
    let policy: String?
    /// The argument of `@MappedTransform` as written.
    let transform: String?
    /// The argument of `@MappedKey` as written, including quotes, or the name in the key style as a
    /// literal; `nil` for the name itself.
    let sourceKey: String?
    /// The inverse relationship.
    let inverse: DestinationProperty?
    /// The arguments of `@Reference` or `@Connected`, without the key.
    let reference: String?
    /// The attribute of the destination that references are by.
    let referenceAttribute: DestinationProperty?
    /// The destination of a relationship as source text.
    let destination: String?
    /// The default value as written.
    let defaultValue: String?

    /// A Boolean value that indicates whether a new object is incomplete until the property is set.
    var isRequired: Bool { kind == .attribute && !isOptional && defaultValue == nil }
}

// MARK: - Parsing

extension EntityDeclaration {
    /// The attributes that configure a property.
    static let markers: [PropertyMarker] = [
        .mappedKey, .mappedIgnored, .identity, .inverse, .indexed, .maximumLength, .deleteRule,
        .reference, .connected, .mappedAssignment, .mappedTransform, .mappedPolicy,
        .renamed, .searchable,
    ]

    /// Parses and validates a declaration.
    ///
    /// - Returns: The declaration, or `nil` if the type cannot be an entity.
    static func parse(
        _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax,
        in lexicalContext: [Syntax], diagnostics: inout [Diagnostic]
    ) -> EntityDeclaration? {
        guard let type = declaration.as(ClassDeclSyntax.self) else {
            diagnostics.append(declaration.notClass)
            return nil
        }
        guard let superclass = type.entitySuperclass(diagnostics: &diagnostics) else { return nil }
        type.checkEntity(diagnostics: &diagnostics)
        let style = attribute.keyStyle(diagnostics: &diagnostics)
        type.checkModifiers(diagnostics: &diagnostics)
        let storage = StoredProperty.all(
            in: type.memberBlock.members, markers: markers,
            excluding: { $0.unmanagedModifier != nil }, diagnostics: &diagnostics)

        var properties: [ManagedProperty] = []
        for property in storage {
            let markers = PropertyMarkers(of: property, among: markers, &diagnostics)
            if markers.has(.mappedIgnored) {
                property.checkIgnored(diagnostics: &diagnostics)
                continue
            }
            property.checkManaged(markers, diagnostics: &diagnostics)
            property.checkOwnInverse(markers, of: type.name.text, diagnostics: &diagnostics)
            guard let managed = ManagedProperty(property, markers, style) else { continue }
            properties.append(managed)
        }
        return EntityDeclaration(
            name: type.name.text,
            entityName: attribute.labeledArguments.first { $0.label?.text == "name" }?
                .expression.trimmedDescription,
            formerNames: attribute.labeledArguments.first { $0.label?.text == "renamedFrom" }?
                .expression.trimmedDescription,
            superentity: superclass.baseName == "ManagedObject"
                ? nil : superclass.trimmedDescription,
            isFinal: type.modifiers.contains(.final),
            access: AccessLevel(of: type.modifiers, in: lexicalContext),
            properties: properties,
            availability: type.attributes.named("available"),
            isRefused: !diagnostics.isEmpty)
    }
}

extension ManagedProperty {
    /// Creates a managed property, or `nil` if its type is unknown.
    fileprivate init?(_ property: StoredProperty, _ markers: PropertyMarkers, _ style: KeyStyle) {
        guard let type = property.type else { return nil }
        identifier = property.identifier
        name = property.name
        self.type = type.operandText
        kind = property.managedKind(of: type, markers)
        isOptional = type.isOptional
        access = MemberAccess(of: property.variable.modifiers)
        isIdentity = markers.has(.identity)
        isIndexed = markers.has(.indexed)
        isSearchable = markers.has(.searchable)
        formerNames = markers.formerNames
        maximumLength = markers.maximumLength
        deleteRule = markers.deleteRule
        assignment = markers.assignment
        identityForm = markers.identity
        policy = markers.policy
        transform = markers.transform
        sourceKey = markers.sourceKey ?? style.literal(for: property.name)
        inverse = markers.inverse
        reference = markers.reference
        referenceAttribute = markers.referenceAttribute
        destination = type.relationshipTarget
        defaultValue = property.managedDefault
    }
}

/// The access level of a member as written.
enum MemberAccess: Int, Comparable {
    case `private`
    case `fileprivate`
    case `internal`
    case package
    case `public`

    init(of modifiers: DeclModifierListSyntax) {
        let written: [(Keyword, MemberAccess)] = [
            (.private, .private), (.fileprivate, .fileprivate), (.package, .package),
            (.public, .public), (.open, .public),
        ]
        self = written.first { modifiers.contains($0.0) }?.1 ?? .internal
    }

    /// Creates the access level of generated members of a type.
    init(_ type: AccessLevel) {
        self =
            switch type {
            case .open, .public: .public
            case .package: .package
            case .unmarked: .internal
            }
    }

    static func < (left: MemberAccess, right: MemberAccess) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The modifier followed by a space, or an empty string.
    var prefix: String {
        switch self {
        case .private: "private "
        case .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }
}
#endif
