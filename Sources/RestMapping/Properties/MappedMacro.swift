// SPDX-License-Identifier: Apache-2.0

#if Macros
/// Makes a structure or class mappable: a property table, a draft and the conformance to `Mapped`.
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
/// Every stored instance property is mapped from the key of its own name. A property without a
/// default value is required unless it is optional. Static, computed and lazy properties are left
/// out. What is generated could be written by hand; nothing depends on the macro.
///
/// A public type gets public members, so its file says `public import` of this library if imports
/// are internal by default.
///
/// An instance that is mapped into again is changed in place if it is a class, all at once when
/// the mapping succeeded; its `let` properties keep what they have.
///
/// A class that is not final may be inherited from. A subclass with this attribute has the
/// properties of its superclass before its own, in the property table too; one without cannot be
/// mapped to. The attribute adds the initializer `init(finishing:)`, so a class that had an empty
/// initializer from Swift gets that one from here.
///
/// - Parameter keys: How the keys of the representation are written; not inherited.
@attached(
    member, conformances: Mapped, names: named(properties), named(mappedProperties), named(write),
    named(Draft), named(makeDraft), named(finish), named(init(finishing:)), named(init()))
@attached(extension, conformances: Mapped, names: named(init(finishing:)))
public macro Mapped(keys: KeyStyle = .asDeclared) =
    #externalMacro(module: "RestMacros", type: "MappedMacro")

/// Maps a property from another key than its own name.
///
/// - Parameter sourceKey: A key of the representation, or a dotted path such as `"author.name"`.
@attached(peer)
public macro MappedKey(_ sourceKey: String) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Converts the values of a property by a transform instead of by its type.
///
/// A mapping that declares another transform for the property wins.
///
/// - Parameter transform: To the property's type or, if that is optional, to what it holds; then
///   null becomes nil.
@attached(peer)
public macro MappedTransform<Value>(_ transform: ValueTransform<Value>) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Converts the values of a property by a transformer instead of by its type.
///
/// A mapping that declares another transform for the property wins.
///
/// - Parameter transformer: Is asked for the property's type, without the optional if it is one.
@attached(peer)
public macro MappedTransform<Transforming: ValueTransforming>(_ transformer: Transforming) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Says what happens to values that do not fit a property.
///
/// A mapping that says it for the attribute wins.
///
/// - Parameter policy: For this property in place of the mapping's.
@attached(peer)
public macro MappedPolicy(_ policy: IssuePolicy) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Leaves a property out of mapping. It needs a default value or an optional type.
@attached(peer)
public macro MappedIgnored() =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")
#endif
