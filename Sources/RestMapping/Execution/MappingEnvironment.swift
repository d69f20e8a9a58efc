// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// What a run is given besides the representation.
///
/// Not Sendable: an observer belongs to whoever runs the plan.
public struct MappingEnvironment {
    /// Where sources that begin with `@metadata` are looked up: the first that has a value counts.
    ///
    /// The run's own values precede them: `mapping.collectionIndex`, the position of an element in
    /// its list, `mapping.rootKeyPath`, where a ``MapperOperation`` found the object, and
    /// `mapping.parentObject.name`, what the property `name` of the object around a related one has
    /// become, which is mapped before.
    public var metadata: [Document]
    /// Is told what happens; a run without one does nothing for it.
    public var observer: (any MappingObserver)?
    /// How often the run may pass over the values it begins with, and over its metadata, before it
    /// ends with an error; see ``MappingLimits/passes``.
    public var passLimit = MappingLimits.passes
    /// Where the representation was found in its document.
    var rootKeyPath: SourcePath?
    /// What paths of issues begin with, where the representation was collected from several places:
    /// the key path that collected it.
    package var collectedAt: DocumentPath?
    /// Position of the representation in its list.
    var collectionIndex: Int?
    /// How many objects the representation is inside of.
    var depth = 0
    /// What is left of the passes of another run that this one is a part of.
    var meter: PassMeter?

    /// Makes an environment.
    public init(metadata: [Document] = [], observer: (any MappingObserver)? = nil) {
        self.metadata = metadata
        self.observer = observer
    }
}

/// How many values runs may still pass over together, of which one is inside of the other.
///
/// Not Sendable: lives in the stack of the outer one.
final class PassMeter {
    var allowance: Int

    init(allowance: Int) { self.allowance = allowance }
}

extension MappingEnvironment {
    /// How many values a run may pass over that begins with a representation.
    func allowance(for node: Node) -> Int {
        if let meter { return meter.allowance }
        let count = metadata.reduce(node.treeCount) { $0 + $1.root.treeCount }
        let (allowance, isOver) = count.multipliedReportingOverflow(by: passLimit)
        return isOver ? .max : allowance
    }
}

extension Node {
    /// How many values and keys this is with all inside of it.
    fileprivate var treeCount: Int { storage.view(at: index).nextIndex - index }
}
