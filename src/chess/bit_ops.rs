//! The bitwise operators of sets that are stored in one integer: [`Bitboard`](super::Bitboard) here, and the set of
//! circles of Z-Chess.

/// Implements `&`, `|`, `^`, their assigning forms and `!` for a newtype of an integer. The complement is taken within
/// `$all`, the set of all elements.
macro_rules! impl_bit_ops {
    (
        @binary $set:ident,
        $trait:ident $method:ident $operator:tt,
        $assign_trait:ident $assign_method:ident $assign_operator:tt
    ) => {
        impl std::ops::$trait for $set {
            type Output = $set;

            #[inline(always)]
            fn $method(self, other: $set) -> $set {
                $set(self.0 $operator other.0)
            }
        }

        impl std::ops::$assign_trait for $set {
            #[inline(always)]
            fn $assign_method(&mut self, other: $set) {
                self.0 $assign_operator other.0;
            }
        }
    };
    ($set:ident, all: $all:expr) => {
        $crate::chess::bit_ops::impl_bit_ops!(@binary $set, BitAnd bitand &, BitAndAssign bitand_assign &=);
        $crate::chess::bit_ops::impl_bit_ops!(@binary $set, BitOr bitor |, BitOrAssign bitor_assign |=);
        $crate::chess::bit_ops::impl_bit_ops!(@binary $set, BitXor bitxor ^, BitXorAssign bitxor_assign ^=);

        impl std::ops::Not for $set {
            type Output = $set;

            #[inline(always)]
            fn not(self) -> $set {
                $set(!self.0 & $all.0)
            }
        }
    };
}

pub(crate) use impl_bit_ops;
