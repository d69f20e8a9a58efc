// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// The kind of a managed property as far as its declaration tells.
enum ManagedKind {
    case attribute
    case toOne
    case toMany
    /// An optional of an unknown type: an attribute or a to-one relationship.
    case attributeOrToOne
    /// An array or a set of an unknown type: an attribute or a to-many relationship.
    case attributeOrToMany
}

extension StoredProperty {
    /// Returns the kind of the property.
    func managedKind(of type: TypeSyntax, _ markers: PropertyMarkers) -> ManagedKind {
        let isRelationship = markers.contains(where: \.isOfRelationships)
        let isEmpty = initialValue?.as(ArrayExprSyntax.self)?.elements.isEmpty == true
        // The ID of values is an attribute of this name, if there is one.
        let isAttribute =
            name == "id" || markers.contains(where: \.isOfAttributes) || type.isKnownValue
            || (managedDefault != nil && !isEmpty)
        if type.collectionElement != nil {
            if isRelationship { return .toMany }
            return isAttribute ? .attribute : .attributeOrToMany
        }
        guard let wrapped = type.wrappedType, wrapped.collectionElement == nil else {
            return .attribute
        }
        if isRelationship { return .toOne }
        return isAttribute ? .attribute : .attributeOrToOne
    }
}

extension TypeSyntax {
    /// The type's name without module and generic arguments.
    var baseName: String? {
        if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
        return self.as(IdentifierTypeSyntax.self)?.name.text
    }

    /// A Boolean value that indicates whether the type is a set.
    var isSet: Bool { baseName == "Set" }

    /// The element type of an array or a set, which is a to-many relationship if its elements are
    /// managed objects.
    var collectionElement: TypeSyntax? {
        if let array = self.as(ArrayTypeSyntax.self) { return array.element.trimmed }
        return baseName == "Array" || isSet ? genericArgument : nil
    }

    /// The wrapped type of an optional.
    var wrappedType: TypeSyntax? {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.trimmed }
        if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return optional.wrappedType.trimmed
        }
        return isOptional ? genericArgument : nil
    }

    /// The destination of a relationship with this type.
    var relationshipTarget: String? {
        (wrappedType ?? collectionElement)?.trimmedDescription
    }

    private var genericArgument: TypeSyntax? {
        let arguments =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return arguments?.arguments.first?.argument.as(TypeSyntax.self)?.trimmed
    }

    /// A Boolean value that indicates whether the type is known to be an attribute's.
    ///
    /// `false` for types that only the compiler can tell.
    var isKnownValue: Bool {
        if self.is(DictionaryTypeSyntax.self) || baseName == "Dictionary" { return true }
        if let inner = wrappedType ?? collectionElement { return inner.isKnownValue }
        return baseName.map(Self.valueTypes.contains) ?? false
    }

    /// A Boolean value that indicates whether values of the type are known not to be texts.
    var isKnownNotText: Bool {
        if let wrappedType { return wrappedType.isKnownNotText }
        guard isKnownValue else { return false }
        return baseName.map { $0 != "String" } ?? true
    }

    /// A Boolean value that indicates whether values of the type are known to have no words.
    var isKnownNotSearchable: Bool {
        if let wrappedType { return wrappedType.isKnownNotSearchable }
        return ["Bool", "Data", "UUID", "URL", "Date", "CalendarDate"].contains(baseName)
    }

    private static let valueTypes: Set<String> = [
        "Int", "Int64", "Int32", "Int16", "Int8", "UInt", "UInt64", "UInt32", "UInt16", "UInt8",
        "Double", "Float", "Bool", "String", "Data", "UUID", "URL", "Decimal", "Date",
        "CalendarDate", "OpenEnum",
    ]
}
#endif
