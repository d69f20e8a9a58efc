// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// A diagnostic for an annotated declaration.
enum MacroDiagnostic: DiagnosticMessage {
    case wrongKind(macro: String, found: String, allowed: String)
    case isolated(type: String)
    case conflictingMember(macro: String, member: String)
    case conflictingName
    case missingInitializer(type: String)
    case unknownKeyStyle
    case hiddenDraft(property: String)
    case privateType(property: String, type: String)
    case missingType(property: String)
    case tuplePattern
    case conditionalStorage
    case initializedConstant(property: String)
    case ignoredWithoutValue(property: String)
    case conflictingAttributes(first: String, second: String)
    case notStored(attribute: String)
    case notProperty(attribute: String)
    case sourceKeyNotLiteral
    case emptySourceKey
    case malformedSourceKey(String)
    case inverseNotKeyPath
    case ownInverse(property: String)
    case pathOfOtherType(root: String, property: String, destination: String)
    case notRelationship(property: String, attribute: String)
    case requiredRelationship(property: String, attribute: String)
    case referencePathWithoutRoot
    case formerNameMissing
    case formerNameIsCurrent(property: String)
    case notSearchable(property: String)
    case markedCollection(property: String, attribute: String)
    case relationshipDefault(property: String)
    case evaluatedOnce(property: String)
    case notText(property: String)
    case lengthNotPositive
    case structEntity(String)
    case genericEntity(String)
    case notManaged(String)
    case managedConstant(property: String)
    case managedObservers(property: String)
    case managedModifier(String, property: String)
    case hiddenValues(property: String)
    case reservedName(property: String)
    case multipleManaged

    var message: String {
        switch self {
        case .wrongKind(let macro, let found, let allowed):
            "'@\(macro)' can only be applied to \(allowed), not to \(found)"
        case .isolated(let type):
            "'@Mapped' runs outside of the main actor, to which '\(type)' is isolated"
        case .conflictingMember(let macro, let member):
            "'@\(macro)' generates '\(member)', which this type already declares"
        case .conflictingName:
            "'@Mapped' generates a type with the name 'Draft' in this type, which hides it there; "
                + "rename this type"
        case .missingInitializer(let type):
            "class '\(type)' must declare 'init()', which Swift no longer synthesizes because "
                + "'@Mapped' adds an initializer"
        case .unknownKeyStyle:
            "the key style must be one of "
                + KeyStyle.allCases.map { "'.\($0.rawValue)'" }.joined(separator: ", ")
        case .hiddenDraft(let property):
            "the type of '\(property)' is shadowed by the generated type 'Draft'; qualify it with "
                + "the module or type that declares it"
        case .privateType(let property, let type):
            "the generated draft cannot store '\(property)', whose type '\(type)' is private"
        case .missingType(let property):
            "property '\(property)' requires a type annotation"
        case .tuplePattern:
            "a tuple pattern cannot be mapped; declare one property per value"
        case .conditionalStorage:
            "a stored property inside '#if' cannot be mapped; move it out of the condition"
        case .initializedConstant(let property):
            "constant '\(property)' has an initial value and cannot be mapped"
        case .ignoredWithoutValue(let property):
            "ignored property '\(property)' requires a default value or an optional type"
        case .conflictingAttributes(let first, let second):
            first == second
                ? "'@\(first)' is repeated"
                : "'@\(first)' cannot be combined with '@\(second)'"
        case .notStored(let attribute):
            "'@\(attribute)' has no effect here: only stored instance properties are mapped"
        case .notProperty(let attribute):
            "'@\(attribute)' can only be applied to a property"
        case .sourceKeyNotLiteral:
            "the source key must be a string literal without interpolation"
        case .emptySourceKey:
            "the source key must not be empty"
        case .malformedSourceKey(let expected):
            "the source key is not a path: it requires \(expected)"
        case .inverseNotKeyPath:
            "the inverse must be a key path with a root type, such as '\\Terminal.airport', or the "
                + "name of a property"
        case .ownInverse(let property):
            "a relationship that is its own inverse must use its name: '@Inverse(\"\(property)\")'"
        case .pathOfOtherType(let root, let property, let destination):
            "the key path must begin with '\(destination)', the type of the destination of "
                + "'\(property)', not with '\(root)'"
        case .notRelationship(let property, let attribute):
            "'\(property)' cannot have '@\(attribute)' because it is not a relationship, which is an "
                + "optional, an array or a 'Set' of entities"
        case .requiredRelationship(let property, let attribute):
            "'\(property)' cannot have '@\(attribute)' unless it is optional, because the object of a "
                + "to-one relationship may be missing"
        case .referencePathWithoutRoot:
            "the attribute of the destination must be a key path with a root type, such as "
                + "'\\City.code'"
        case .formerNameMissing:
            "'@Renamed' requires the name of the property in an earlier version: "
                + "'@Renamed(from: \"title\")'"
        case .formerNameIsCurrent(let property):
            "'\(property)' is the current name of the property; '@Renamed' lists the names that it had "
                + "in earlier versions"
        case .notSearchable(let property):
            "'\(property)' cannot be searchable; only text, numbers and JSON values have words"
        case .markedCollection(let property, let attribute):
            "'\(property)' cannot have '@\(attribute)' because it is a collection; only an attribute "
                + "with one value can"
        case .relationshipDefault(let property):
            "relationship '\(property)' cannot have a default value"
        case .evaluatedOnce(let property):
            "the default value of '\(property)' is evaluated once for all objects; remove it and set "
                + "the property where an object is inserted"
        case .notText(let property):
            "'\(property)' cannot have a maximum length; only text can"
        case .lengthNotPositive:
            "the maximum length must be at least 1"
        case .structEntity(let type):
            "entity '\(type)' must be a class that inherits from 'ManagedObject', not a struct"
        case .genericEntity(let type):
            "entity '\(type)' cannot be generic because it is one table"
        case .notManaged(let type):
            "entity '\(type)' must inherit from 'ManagedObject'"
        case .managedConstant(let property):
            "constant '\(property)' cannot be managed"
        case .managedObservers(let property):
            "managed property '\(property)' cannot have observers"
        case .managedModifier(let modifier, let property):
            "\(modifier) property '\(property)' cannot be managed"
        case .hiddenValues(let property):
            "the type of '\(property)' is shadowed by the generated type 'Values'; declare a type "
                + "alias with another name for it"
        case .reservedName(let property):
            "'\(property)' is a property of 'ManagedObject'; choose another name and give the key by "
                + "'@MappedKey(\"\(property)\")'"
        case .multipleManaged:
            "declare each managed property separately"
        }
    }

    var diagnosticID: MessageID {
        let label = Mirror(reflecting: self).children.first?.label ?? "\(self)"
        return MessageID(domain: "RestMacros", id: label)
    }

    var severity: DiagnosticSeverity { .error }
}

/// A fix-it of a diagnostic.
enum MacroFixIt: FixItMessage {
    case addType(String)
    case makeVariable
    case makeFileprivate
    case addInitializer(isOverride: Bool)
    case ignoreProperty
    case removeAttribute(String)
    case replaceType(String)
    case replaceArgument(String)
    case inherit
    case makeEntityClass
    case removeModifier(String)
    case removeObservers
    case removeDefault

    var message: String {
        switch self {
        case .addType(let type): "add ': \(type)'"
        case .makeVariable: "change 'let' to 'var'"
        case .makeFileprivate: "change 'private' to 'fileprivate'"
        case .addInitializer(let isOverride):
            isOverride
                ? "add 'override init()' if the class has a superclass"
                : "add 'init()' if the class has no superclass"
        case .ignoreProperty: "add '@MappedIgnored'"
        case .removeAttribute(let name): "remove '@\(name)'"
        case .replaceType(let text): "replace with '\(text)'"
        case .replaceArgument(let text): "replace with '\(text)'"
        case .inherit: "inherit from 'ManagedObject'"
        case .makeEntityClass: "change to a class that inherits from 'ManagedObject'"
        case .removeModifier(let modifier): "remove '\(modifier)'"
        case .removeObservers: "remove the observers"
        case .removeDefault: "remove the default value"
        }
    }

    var fixItID: MessageID {
        let label = Mirror(reflecting: self).children.first?.label ?? "\(self)"
        return MessageID(domain: "RestMacros", id: label)
    }
}
#endif
