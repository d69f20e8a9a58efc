// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A validated declaration of a class annotated with `@Entity`.
struct EntityDeclaration {
    let name: String
    /// The argument of `@Entity(name:)` as written.
    let entityName: String?
    let access: AccessLevel
    /// The managed properties by index.
    let properties: [ManagedProperty]
    /// `@available` attributes, which an extension does not inherit.
    let availability: [AttributeSyntax]

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
    let isIdentity: Bool
    /// The argument of `@MappedKey` as written, including quotes, or the name in the key style as a
    /// literal; `nil` for the name itself.
    let sourceKey: String?
    /// The key path of the inverse relationship.
    let inverse: String?
    /// The default value as written.
    let defaultValue: String?
}

// MARK: - Parsing

extension EntityDeclaration {
    /// The attributes that configure a property.
    static let markers: [PropertyMarker] = [.mappedKey, .mappedIgnored, .identity, .inverse]

    /// Parses and validates a declaration.
    ///
    /// - Returns: The declaration, or `nil` if there are diagnostics.
    static func parse(
        _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax,
        in lexicalContext: [Syntax], diagnostics: inout [Diagnostic]
    ) -> EntityDeclaration? {
        guard let type = declaration.as(ClassDeclSyntax.self) else {
            diagnostics.append(
                declaration.wrongKind(macro: "Entity", allowed: "subclasses of 'ManagedObject'"))
            return nil
        }
        type.checkEntity(diagnostics: &diagnostics)
        let style = attribute.keyStyle(diagnostics: &diagnostics)
        let storage = StoredProperty.all(
            in: type.memberBlock.members, markers: markers, diagnostics: &diagnostics)

        var properties: [ManagedProperty] = []
        for property in storage {
            let markers = PropertyMarkers(of: property, among: markers, &diagnostics)
            if markers.has(.mappedIgnored) {
                property.checkIgnored(diagnostics: &diagnostics)
                continue
            }
            property.checkManaged(markers, diagnostics: &diagnostics)
            property.checkOwnInverse(markers, of: type.name.text, diagnostics: &diagnostics)
            properties.append(
                ManagedProperty(
                    identifier: property.identifier, name: property.name,
                    isIdentity: markers.has(.identity),
                    sourceKey: markers.sourceKey ?? style.literal(for: property.name),
                    inverse: property.inversePath(markers),
                    defaultValue: property.managedDefault))
        }
        guard diagnostics.isEmpty else { return nil }
        return EntityDeclaration(
            name: type.name.text,
            entityName: attribute.labeledArguments.first { $0.label?.text == "name" }?
                .expression.trimmedDescription,
            access: AccessLevel(of: type.modifiers, in: lexicalContext),
            properties: properties,
            availability: type.attributes.named("available"))
    }
}

extension ClassDeclSyntax {
    fileprivate func checkEntity(diagnostics: inout [Diagnostic]) {
        if !modifiers.contains(.final) { diagnostics.append(notFinal(macro: "Entity")) }
        if let generics = genericParameterClause {
            diagnostics.append(
                Diagnostic(node: generics, message: MacroDiagnostic.genericEntity(name.text)))
        }
        if inheritanceClause?.inheritedTypes.first?.type.baseName != "ManagedObject" {
            diagnostics.append(missingSuperclass)
        }
    }

    /// The diagnostic for a missing superclass, with a fix-it that adds it.
    private var missingSuperclass: Diagnostic {
        let superclass = InheritedTypeSyntax(
            type: IdentifierTypeSyntax(name: "ManagedObject"))
        var fixed = self
        if var clause = inheritanceClause {
            // The other types may be protocols, which follow the superclass.
            var first = superclass
            first.trailingComma = .commaToken(trailingTrivia: .space)
            clause.inheritedTypes.insert(first, at: clause.inheritedTypes.startIndex)
            fixed.inheritanceClause = clause
        } else {
            fixed.name.trailingTrivia = []
            fixed.inheritanceClause = InheritanceClauseSyntax(
                colon: .colonToken(trailingTrivia: .space), inheritedTypes: [superclass],
                trailingTrivia: .space)
        }
        return Diagnostic(
            node: name, message: MacroDiagnostic.notManaged(name.text),
            fixIts: [.replace(message: MacroFixIt.inherit, oldNode: self, newNode: fixed)])
    }
}
#endif
