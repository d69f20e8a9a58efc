// SPDX-License-Identifier: Apache-2.0

/// An identity by which copies of one value are recognized, as closures cannot be compared.
final class ReferenceIdentity: Sendable {}
