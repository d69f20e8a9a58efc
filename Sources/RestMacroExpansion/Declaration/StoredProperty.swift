// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored instance property as written.
struct StoredProperty {
    /// The identifier as written, including backticks.
    let identifier: String
    let isConstant: Bool
    /// The annotated type, or the type of a literal, cast or initializer call as the initial value.
    let type: TypeSyntax?
    let initialValue: ExprSyntax?
    let attributes: AttributeListSyntax
    let variable: VariableDeclSyntax
    let binding: PatternBindingSyntax

    /// The name without backticks.
    var name: String { identifier.withoutBackticks }

    var isOptional: Bool { type?.isOptional ?? false }

    /// A Boolean value that indicates whether the declaration has an initial value other than `nil`.
    var hasDefault: Bool {
        guard let initialValue else { return false }
        return !initialValue.is(NilLiteralExprSyntax.self)
    }

    /// A Boolean value that indicates whether the property is initialized without an assignment.
    var startsInitialized: Bool { initialValue != nil || (isOptional && !isConstant) }

    /// Returns a diagnostic for this property.
    func diagnose(_ message: MacroDiagnostic, fixIts: [FixIt] = []) -> Diagnostic {
        Diagnostic(node: binding.pattern, message: message, fixIts: fixIts)
    }

    /// The diagnostic for a missing type, with a fix-it that adds a placeholder for it.
    var missingType: Diagnostic {
        let typeName = "<#Type#>"
        let colon = TokenSyntax.colonToken(trailingTrivia: .space)
        var fixed = binding
        fixed.pattern.trailingTrivia = []
        fixed.typeAnnotation = TypeAnnotationSyntax(
            colon: colon, type: TypeSyntax(stringLiteral: typeName),
            trailingTrivia: binding.pattern.trailingTrivia)
        return diagnose(
            .missingType(property: name),
            fixIts: [
                .replace(message: MacroFixIt.addType(typeName), oldNode: binding, newNode: fixed)
            ])
    }
}

extension StoredProperty {
    /// Returns the stored instance properties of a type, in source order.
    ///
    /// Static, computed and lazy properties are not mapped. One of the `markers` on them is
    /// diagnosed. Variables that satisfy `isExcluded` are neither returned nor diagnosed.
    static func all(
        in members: MemberBlockItemListSyntax, markers: [PropertyMarker],
        excluding isExcluded: (VariableDeclSyntax) -> Bool = { _ in false },
        diagnostics: inout [Diagnostic]
    ) -> [StoredProperty] {
        var properties: [StoredProperty] = []
        for member in members {
            if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                diagnostics += condition.storedVariables.map {
                    Diagnostic(node: $0, message: MacroDiagnostic.conditionalStorage)
                }
            }
            guard let variable = member.decl.as(VariableDeclSyntax.self), !isExcluded(variable)
            else { continue }
            let stored = variable.isInstanceStorage ? variable.storedBindings : []
            if stored.isEmpty {
                diagnostics += variable.attributes
                    .compactMap { $0.as(AttributeSyntax.self) }
                    .filter { markers.map(\.rawValue).contains($0.baseName) }
                    .map { $0.notStored(on: variable) }
            }
            for (binding, type) in stored {
                if binding.pattern.is(TuplePatternSyntax.self) {
                    diagnostics.append(
                        Diagnostic(node: binding.pattern, message: MacroDiagnostic.tuplePattern))
                }
                guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
                    continue
                }
                properties.append(
                    StoredProperty(
                        identifier: pattern.identifier.text,
                        isConstant: variable.bindingSpecifier.tokenKind == .keyword(.let),
                        type: type ?? binding.initializer.flatMap { typeOfLiteral($0.value) },
                        initialValue: binding.initializer?.value,
                        attributes: variable.attributes,
                        variable: variable, binding: binding))
            }
        }
        return properties
    }

    /// Returns the default type of a literal, or the type of an `as` cast.
    private static func typeOfLiteral(_ value: ExprSyntax) -> TypeSyntax? {
        if let type = value.castType { return type }
        if let signed = value.as(PrefixOperatorExprSyntax.self) {
            let isNumber =
                signed.expression.is(IntegerLiteralExprSyntax.self)
                || signed.expression.is(FloatLiteralExprSyntax.self)
            return isNumber ? typeOfLiteral(signed.expression) : nil
        }
        if value.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if value.is(FloatLiteralExprSyntax.self) { return "Double" }
        if value.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        if value.is(StringLiteralExprSyntax.self) { return "String" }
        return typeOfInitializer(value)
    }

    /// Returns the type that an initializer call names, such as `User` for `User()`, or nil if the call
    /// may return an optional or is not known to be an initializer.
    private static func typeOfInitializer(_ value: ExprSyntax) -> TypeSyntax? {
        guard let call = value.as(FunctionCallExprSyntax.self), let name = typeNamed(by: value)
        else { return nil }
        let base = name.split(separator: ".").last.map(String.init) ?? name
        let isPlain = call.arguments.isEmpty && call.trailingClosure == nil
        return isPlain || !typesWithFailableInitializers.contains(base)
            ? TypeSyntax(stringLiteral: name) : nil
    }

    private static let typesWithFailableInitializers: Set<String> = [
        "Bool", "Character", "Data", "Decimal", "Double", "Float", "Int", "Int16", "Int32", "Int64",
        "Int8", "String", "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "URL", "UUID",
    ]

    /// Returns the type that a call names in place of a function.
    ///
    /// For example `[String]` for `[String]()` and `Author` for `Author(name: "")`.
    private static func typeNamed(by value: ExprSyntax) -> String? {
        guard let call = value.as(FunctionCallExprSyntax.self) else { return nil }
        var callee = call.calledExpression.trimmedDescription
        if callee.hasSuffix(".init") { callee.removeLast(5) }
        let isCollection =
            call.calledExpression.is(ArrayExprSyntax.self)
            || call.calledExpression.is(DictionaryExprSyntax.self)
        let last = callee.split(separator: ".").last ?? ""
        return isCollection || last.first?.isUppercase == true ? callee : nil
    }
}

extension String {
    /// An identifier without the backticks around it.
    var withoutBackticks: String { hasPrefix("`") ? String(dropFirst().dropLast()) : self }

    /// A Boolean value that indicates whether the text is an identifier.
    var isIdentifier: Bool {
        first.map { $0.isLetter || $0 == "_" } == true
            && allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}

extension VariableDeclSyntax {
    /// A Boolean value that indicates whether the variable is neither static nor lazy.
    fileprivate var isInstanceStorage: Bool {
        !modifiers.contains(.static) && !modifiers.contains(.class) && !modifiers.contains(.lazy)
    }

    /// The bindings with storage and their types, such as `Int` for both in `var a, b: Int`.
    fileprivate var storedBindings: [(binding: PatternBindingSyntax, type: TypeSyntax?)] {
        var stored: [(binding: PatternBindingSyntax, type: TypeSyntax?)] = []
        var following: TypeSyntax?
        for binding in bindings.reversed() {
            if let annotation = binding.typeAnnotation {
                following = annotation.type.trimmed
            } else if binding.initializer != nil {
                following = nil
            }
            if binding.isStored { stored.append((binding, following)) }
        }
        return stored.reversed()
    }
}

extension PatternBindingSyntax {
    /// A Boolean value that indicates whether the binding stores a value, with or without observers.
    fileprivate var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.allSatisfy {
                $0.accessorSpecifier.tokenKind == .keyword(.willSet)
                    || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
            }
        }
    }
}

extension IfConfigDeclSyntax {
    /// The stored variables in all branches.
    fileprivate var storedVariables: [VariableDeclSyntax] {
        clauses.flatMap { clause -> [VariableDeclSyntax] in
            guard case .decls(let members)? = clause.elements else { return [] }
            return members.flatMap { member -> [VariableDeclSyntax] in
                if let nested = member.decl.as(IfConfigDeclSyntax.self) {
                    return nested.storedVariables
                }
                guard let variable = member.decl.as(VariableDeclSyntax.self),
                    variable.isInstanceStorage, !variable.storedBindings.isEmpty
                else { return [] }
                return [variable]
            }
        }
    }
}

extension AttributeSyntax {
    /// Returns the diagnostic for an attribute without a stored property, with a fix-it that removes
    /// it.
    fileprivate func notStored(on variable: VariableDeclSyntax) -> Diagnostic {
        Diagnostic(
            node: self, message: MacroDiagnostic.notStored(attribute: baseName),
            fixIts: [variable.fixItRemoving(self)])
    }
}

extension VariableDeclSyntax {
    /// Returns a fix-it that removes an attribute.
    func fixItRemoving(_ attribute: AttributeSyntax) -> FixIt {
        var fixed = self
        fixed.attributes = attributes.filter { $0.id != attribute.id }
        fixed.leadingTrivia = leadingTrivia
        return .replace(
            message: MacroFixIt.removeAttribute(attribute.baseName), oldNode: self,
            newNode: fixed)
    }
}
#endif
