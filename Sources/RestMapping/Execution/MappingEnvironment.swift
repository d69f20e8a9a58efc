// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// What a run is given besides the representation.
///
/// Not Sendable: an observer belongs to whoever runs the plan.
public struct MappingEnvironment {
    /// Where sources that begin with `@metadata` are looked up: the first that has a value counts.
    ///
    /// The run's own values precede them: `mapping.collectionIndex`, the position of an element in
    /// its list, and `mapping.rootKeyPath`, where a ``MapperOperation`` found the object.
    public var metadata: [Document]
    /// Is told what happens; a run without one does nothing for it.
    public var observer: (any MappingObserver)?
    /// Where the representation was found in its document.
    var rootKeyPath: SourcePath?
    /// What paths of issues begin with, where the representation was collected from several places:
    /// the key path that collected it.
    package var collectedAt: DocumentPath?
    /// Position of the representation in its list.
    var collectionIndex: Int?
    /// How many objects the representation is inside of.
    var depth = 0

    /// Makes an environment.
    public init(metadata: [Document] = [], observer: (any MappingObserver)? = nil) {
        self.metadata = metadata
        self.observer = observer
    }
}
