// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension StoredProperty {
    /// The default value, or `nil` if it is an empty set or `nil`, which new objects have without
    /// one.
    var managedDefault: String? {
        guard hasDefault, let initialValue, !isEmptyRelationship else { return nil }
        return initialValue.trimmedDescription
    }

    /// Returns the key path of the inverse, as written or to the named property of the destination
    /// type.
    func inversePath(_ markers: PropertyMarkers) -> String? {
        switch markers.inverse {
        case nil: nil
        case .path(let path): path.trimmedDescription
        case .property(let name): type?.relationshipTarget.map { "\\\($0).\(name)" }
        }
    }

    /// Diagnoses a property that a context cannot manage.
    func checkManaged(_ markers: PropertyMarkers, diagnostics: inout [Diagnostic]) {
        if isConstant {
            diagnostics.append(
                diagnose(.managedConstant(property: name), fixIts: [makeVariable]))
        }
        if let block = binding.accessorBlock {
            diagnostics.append(
                Diagnostic(node: block, message: MacroDiagnostic.managedObservers(property: name)))
        }
        if variable.bindings.count > 1 {
            diagnostics.append(diagnose(.multipleManaged))
        }
        guard let type = binding.typeAnnotation?.type ?? self.type else {
            diagnostics.append(missingType)
            return
        }
        if let element = type.arrayElement {
            let set = "Set<\(element.trimmedDescription)>"
            diagnostics.append(
                Diagnostic(
                    node: type, message: MacroDiagnostic.managedArray(property: name),
                    fixIts: [
                        .replace(
                            message: MacroFixIt.replaceType(set), oldNode: type,
                            newNode: TypeSyntax(stringLiteral: set)
                                .with(\.trailingTrivia, type.trailingTrivia))
                    ]))
        }
        if let inverse = markers.syntax(of: .inverse) {
            checkInverse(inverse, on: type, diagnostics: &diagnostics)
        }
        if let identity = markers.syntax(of: .identity), type.isSet {
            diagnostics.append(
                Diagnostic(
                    node: identity, message: MacroDiagnostic.identityNotAttribute(property: name),
                    fixIts: [variable.fixItRemoving(identity)]))
        }
        if hasDefault, type.isSet, !isEmptyRelationship, let initialValue {
            diagnostics.append(
                Diagnostic(
                    node: initialValue,
                    message: MacroDiagnostic.relationshipDefault(property: name)))
        }
    }

    /// Diagnoses a key path to the property that has it as its inverse, which the compiler rejects as
    /// a circular reference.
    func checkOwnInverse(
        _ markers: PropertyMarkers, of owner: String, diagnostics: inout [Diagnostic]
    ) {
        guard case .path(let path)? = markers.inverse,
            path.trimmedDescription == "\\\(owner).\(identifier)"
        else { return }
        let literal = ExprSyntax(StringLiteralExprSyntax(content: name))
        diagnostics.append(
            Diagnostic(
                node: path, message: MacroDiagnostic.ownInverse(property: name),
                fixIts: [
                    .replace(
                        message: MacroFixIt.replaceArgument("\"\(name)\""),
                        oldNode: ExprSyntax(path), newNode: literal)
                ]))
    }

    private func checkInverse(
        _ inverse: AttributeSyntax, on type: TypeSyntax, diagnostics: inout [Diagnostic]
    ) {
        if type.isSet || (type.isOptional && !type.isKnownValue) { return }
        var fixIts = [variable.fixItRemoving(inverse)]
        if !type.isOptional, !type.isKnownValue, type.arrayElement == nil {
            let optional = TypeSyntax(stringLiteral: "\(type.operandText)?")
            fixIts.append(
                .replace(
                    message: MacroFixIt.replaceType(optional.description), oldNode: type,
                    newNode: optional.with(\.trailingTrivia, type.trailingTrivia)))
        }
        diagnostics.append(
            Diagnostic(
                node: inverse, message: MacroDiagnostic.inverseNotRelationship(property: name),
                fixIts: fixIts))
    }

    private var isEmptyRelationship: Bool {
        guard type?.isSet == true, let list = initialValue?.as(ArrayExprSyntax.self) else {
            return false
        }
        return list.elements.isEmpty
    }
}

extension TypeSyntax {
    /// The type's name without module and generic arguments.
    var baseName: String? {
        if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
        return self.as(IdentifierTypeSyntax.self)?.name.text
    }

    /// A Boolean value that indicates whether the type is a set, which is a to-many relationship if its
    /// elements are managed objects.
    var isSet: Bool { baseName == "Set" }

    /// The element type of a set, or the wrapped type of an optional.
    fileprivate var relationshipTarget: String? {
        if let optional = self.as(OptionalTypeSyntax.self) {
            return optional.wrappedType.trimmedDescription
        }
        guard isSet || isOptional else { return nil }
        let arguments =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return arguments?.arguments.first?.argument.trimmedDescription
    }

    /// The element of an array type.
    fileprivate var arrayElement: TypeSyntax? {
        if let array = self.as(ArrayTypeSyntax.self) { return array.element.trimmed }
        guard baseName == "Array",
            let arguments = self.as(IdentifierTypeSyntax.self)?.genericArgumentClause?.arguments
        else { return nil }
        return arguments.first?.argument.as(TypeSyntax.self)?.trimmed
    }

    /// A Boolean value that indicates whether the type is known to be an attribute's.
    ///
    /// `false` for types that only the compiler can tell.
    fileprivate var isKnownValue: Bool {
        if let optional = self.as(OptionalTypeSyntax.self) {
            return optional.wrappedType.isKnownValue
        }
        return baseName.map(Self.valueTypes.contains) ?? false
    }

    private static let valueTypes: Set<String> = [
        "Int", "Int64", "Int32", "Int16", "Int8", "UInt32", "UInt16", "UInt8", "Double", "Float",
        "Bool", "String", "Data", "UUID", "URL", "Decimal", "Date",
    ]
}
#endif
