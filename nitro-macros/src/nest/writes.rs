//! What statements write, before they are read.

use proc_macro2::Ident;
use syn::{BinOp, Block, Expr, ExprIf, Stmt};

use super::scope::{bare, name};

/// Returns true where an operator assigns.
pub(super) fn is_assignment(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// The arrays and variables that statements of a block write, whatever loops and conditions are around them.
pub(super) fn writes(block: &Block) -> Vec<&Ident> {
    let mut found = Vec::new();
    for statement in &block.stmts {
        let Stmt::Expr(expression, _) = statement else { continue };
        let expression = bare(expression);
        match expression {
            Expr::Assign(assignment) => found.extend(written(&assignment.left)),
            Expr::Binary(binary) if is_assignment(&binary.op) => found.extend(written(&binary.left)),
            Expr::ForLoop(repeated) => found.extend(writes(&repeated.body)),
            Expr::If(conditional) => found.extend(writes_of_cases(conditional)),
            _ => {}
        }
    }
    found
}

fn writes_of_cases(conditional: &ExprIf) -> Vec<&Ident> {
    let mut found = writes(&conditional.then_branch);
    match conditional.else_branch.as_ref().map(|(_, branch)| &**branch) {
        Some(Expr::Block(block)) => found.extend(writes(&block.block)),
        Some(Expr::If(other)) => found.extend(writes_of_cases(other)),
        _ => {}
    }
    found
}

fn written(target: &Expr) -> Option<&Ident> {
    match bare(target) {
        Expr::Index(index) => name(bare(&index.expr)),
        other => name(other),
    }
}
