// SPDX-License-Identifier: Apache-2.0

#if Macros
/// Adds a property table, a draft and a conformance to `Mapped` to a structure or class.
///
/// ```swift
/// @Mapped struct Article {
///     let id: Int
///     var title: String
///     @MappedKey("publication_date") var publishedAt: Date?
///     var tags: [String] = []
/// }
/// ```
///
/// Each stored instance property is mapped from the key of its own name. A property without a
/// default value is required unless it is optional. Static, computed and lazy properties are left
/// out. The generated code could be written by hand; nothing depends on the macro.
///
/// In a module whose default isolation is the main actor, a structure needs no annotation. Declare a
/// class `nonisolated`, because mapping assigns its properties outside the main actor.
///
/// A public type gets public members, so its file needs a `public import` of this library if
/// imports are internal by default.
///
/// Mapping into an existing class instance changes it in place, all at once when the mapping has
/// succeeded; its `let` properties are unchanged.
///
/// A class that is not final may have subclasses. A subclass with this attribute has the properties
/// of its superclass before its own, in the property table too; a subclass without it cannot be
/// mapped to. The attribute adds the initializer `init(finishing:)`; for a class that had an
/// implicit empty initializer, the attribute adds that too.
///
/// - Parameter keys: The style of the representation's keys; it is not inherited.
@attached(
    member, conformances: Mapped, names: named(properties), named(mappedProperties), named(write),
    named(Draft), named(makeDraft), named(finish), named(init(finishing:)), named(init()))
@attached(extension, conformances: Mapped, names: named(init(finishing:)))
public macro Mapped(keys: KeyStyle = .asDeclared) =
    #externalMacro(module: "RestMacros", type: "MappedMacro")

/// Maps a property from a key other than its own name.
///
/// - Parameter sourceKey: A key of the representation, or a ``SourcePath`` such as `"author.name"`,
///   `"position[0]"`, `"items.@count"` or `"@parent.id"`; empty text is the representation itself.
///   A default request mapping leaves out paths with steps other than keys.
@attached(peer)
public macro MappedKey(_ sourceKey: String) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Converts the values of a property by a transform instead of by its type.
///
/// A transform that a mapping declares for the attribute takes precedence.
///
/// - Parameter transform: A transform to the property's type or, if that is optional, to its
///   wrapped type; null then becomes nil.
@attached(peer)
public macro MappedTransform<Value>(_ transform: ValueTransform<Value>) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Sets the policy for values that do not fit a property.
///
/// A policy that a mapping declares for the attribute takes precedence.
///
/// - Parameter policy: The policy of the property, in place of the mapping's.
@attached(peer)
public macro MappedPolicy(_ policy: IssuePolicy) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Leaves a property out of mapping. The property needs a default value or an optional type.
@attached(peer)
public macro MappedIgnored() =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")
#endif
