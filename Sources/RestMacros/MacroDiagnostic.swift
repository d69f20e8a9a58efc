// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// What can be wrong with an annotated declaration, in the words its author reads.
enum MacroDiagnostic: DiagnosticMessage {
    case wrongKind(macro: String, found: String, allowed: String)
    case notFinal(macro: String, type: String)
    case isolated(type: String)
    case memberTaken(macro: String, member: String)
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
    case inverseNotKeyPath
    case ownInverse(property: String)
    case inverseNotRelationship(property: String)
    case identityNotAttribute(property: String)
    case relationshipDefault(property: String)
    case genericEntity(String)
    case notManaged(String)
    case managedConstant(property: String)
    case managedObservers(property: String)
    case managedArray(property: String)
    case severalManaged

    var message: String {
        switch self {
        case .wrongKind(let macro, let found, let allowed):
            "'@\(macro)' works on \(allowed), not on \(found)"
        case .notFinal(let macro, let type):
            "'@\(macro)' needs the class '\(type)' to be final"
        case .isolated(let type):
            "'@Mapped' works off the main actor, which '\(type)' is bound to"
        case .memberTaken(let macro, let member):
            "'@\(macro)' generates '\(member)', which this type declares itself"
        case .missingInitializer(let type):
            "class '\(type)' needs an initializer: '@Mapped' adds one, so Swift no longer writes "
                + "'init()'"
        case .unknownKeyStyle:
            "the style of the keys must be one of "
                + KeyStyle.allCases.map { "'.\($0.rawValue)'" }.joined(separator: ", ")
        case .hiddenDraft(let property):
            "the type of '\(property)' is hidden by the generated type 'Draft'; write it with the "
                + "module or type it is declared in"
        case .privateType(let property, let type):
            "the generated draft cannot hold '\(property)', whose type '\(type)' is private"
        case .missingType(let property):
            "property '\(property)' needs a type annotation"
        case .tuplePattern:
            "a tuple pattern cannot be mapped; declare one property per value"
        case .conditionalStorage:
            "a stored property inside '#if' cannot be mapped; move it out of the condition"
        case .initializedConstant(let property):
            "constant '\(property)' has its value already and cannot be mapped"
        case .ignoredWithoutValue(let property):
            "ignored property '\(property)' needs a default value or an optional type"
        case .conflictingAttributes(let first, let second):
            first == second
                ? "'@\(first)' is given twice"
                : "'@\(first)' and '@\(second)' exclude each other"
        case .notStored(let attribute):
            "'@\(attribute)' has no effect here: only stored instance properties are mapped"
        case .notProperty(let attribute):
            "'@\(attribute)' belongs on a property"
        case .sourceKeyNotLiteral:
            "the source key must be a string literal without interpolation"
        case .emptySourceKey:
            "the source key must not be empty"
        case .inverseNotKeyPath:
            "the inverse must be a key path with its type, such as '\\Terminal.airport', or a "
                + "property's name"
        case .ownInverse(let property):
            "a relationship that is its own inverse says so by name: '@Inverse(\"\(property)\")'"
        case .inverseNotRelationship(let property):
            "'\(property)' is no relationship and has no inverse: a relationship is an optional "
                + "or a 'Set' of entities"
        case .identityNotAttribute(let property):
            "relationship '\(property)' cannot identify an object; only attributes do"
        case .relationshipDefault(let property):
            "relationship '\(property)' cannot have a default value"
        case .genericEntity(let type):
            "entity '\(type)' cannot be generic: it is one table"
        case .notManaged(let type):
            "entity '\(type)' must inherit from 'ManagedObject'"
        case .managedConstant(let property):
            "constant '\(property)' cannot be managed"
        case .managedObservers(let property):
            "managed property '\(property)' cannot have observers"
        case .managedArray(let property):
            "'\(property)' cannot be an array; a relationship to many objects is a 'Set'"
        case .severalManaged:
            "declare every managed property on its own"
        }
    }

    var diagnosticID: MessageID {
        let label = Mirror(reflecting: self).children.first?.label ?? "\(self)"
        return MessageID(domain: "RestMacros", id: label)
    }

    var severity: DiagnosticSeverity { .error }
}

/// A repair offered with a diagnostic.
enum MacroFixIt: FixItMessage {
    case addType(String)
    case addFinal
    case makeVariable
    case makeFileprivate
    case addInitializer(isOverride: Bool)
    case ignoreProperty
    case removeAttribute(String)
    case replaceType(String)
    case replaceArgument(String)
    case inherit

    var message: String {
        switch self {
        case .addType(let type): "add ': \(type)'"
        case .addFinal: "add 'final'"
        case .makeVariable: "make it 'var'"
        case .makeFileprivate: "make it 'fileprivate'"
        case .addInitializer(let isOverride):
            isOverride ? "add 'override init()', for a superclass" : "add 'init()', for a protocol"
        case .ignoreProperty: "add '@MappedIgnored'"
        case .removeAttribute(let name): "remove '@\(name)'"
        case .replaceType(let text): "write '\(text)'"
        case .replaceArgument(let text): "write '\(text)'"
        case .inherit: "inherit from 'ManagedObject'"
        }
    }

    var fixItID: MessageID {
        let label = Mirror(reflecting: self).children.first?.label ?? "\(self)"
        return MessageID(domain: "RestMacros", id: label)
    }
}
#endif
